"""PDF by what is installed: pdflatex, whose bytes are the same every time; else Chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from autograder.whole_file import temporary_folder

SECONDS = 120


class PdfError(Exception):
    """No PDF; the text says why and what to do."""


def pdf(html: str, latex: str) -> bytes:
    """One document as PDF. Raises PdfError."""
    with temporary_folder("print") as folder:
        if pdflatex := shutil.which("pdflatex"):
            return _by_pdflatex(pdflatex, latex, folder)
        if chromium := shutil.which("chromium") or shutil.which("google-chrome"):
            return _by_chromium(chromium, html, folder)
    raise PdfError("install pdflatex (Debian: texlive-latex-base) or Chromium, or print the HTML from a browser")


def _by_pdflatex(program: str, latex: str, folder: Path) -> bytes:
    source = folder / "quiz.tex"
    source.write_text(latex, encoding="utf-8")
    command = [program, "-no-shell-escape", "-halt-on-error", "-interaction=nonstopmode", source.name]
    fixed = {"SOURCE_DATE_EPOCH": "0", "FORCE_SOURCE_DATE": "1"}
    ran = _run(command, folder, os.environ | fixed)
    if ran.returncode:
        fault = next((line for line in ran.stdout.decode(errors="replace").splitlines() if line.startswith("!")), "")
        raise PdfError(f"pdflatex stopped at {fault or 'an unknown fault'}; print the HTML from a browser")
    return source.with_suffix(".pdf").read_bytes()


def _by_chromium(program: str, html: str, folder: Path) -> bytes:
    page, printed = folder / "quiz.html", folder / "quiz.pdf"
    page.write_text(html, encoding="utf-8")
    command = [
        program,
        "--headless",
        "--disable-gpu",
        "--disable-background-networking",
        "--no-pdf-header-footer",
        f"--user-data-dir={folder / 'profile'}",
        f"--print-to-pdf={printed}",
        page.as_uri(),
    ]
    if os.geteuid() == 0:
        command.insert(1, "--no-sandbox")  # Chromium has no sandbox for root
    ran = _run(command, folder, dict(os.environ))
    if ran.returncode or not printed.exists():
        raise PdfError("Chromium printed nothing; print the HTML from a browser")
    return printed.read_bytes()


def _run(command: list[str], folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        raise PdfError(f"{Path(command[0]).name} took more than {SECONDS} seconds") from None
