"""A short run of the coverage-guided fuzzer; `make fuzz` has a long one."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris is not installed")
def test_the_decoder_holds_under_twenty_thousand_mutated_inputs():
    run = subprocess.run(
        [sys.executable, str(HERE / "fuzz_decoder.py"), "-runs=20000", "-seed=1"],
        cwd=HERE.parents[2],
        env={"PYTHONPATH": str(HERE.parents[2]), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    assert "Done 20000 runs" in run.stderr
