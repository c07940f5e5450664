"""The wall itself: which layers stand, what each stops, and what happens where one falls."""

import os
import signal
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.boundary.outside import doctor, syscalls, wall, zygote
from autograder.boundary.outside.exchange import AnswerKind, Call, Limits
from autograder.boundary.outside.readable import readable
from autograder.catalogue.cell import Cell

from ..attacks.emulation import python_for_anyone
from ..waiting import until

FINE = [Cell("def fine(): return 1", "fine.py")]
ROOT = Path(__file__).resolve().parents[2]
SHORT = Limits(load_seconds=2.0, call_seconds=0.5, memory_bytes=256 << 20)


def children(pid):
    """Process ids of all descendants of `pid`."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found += [int(stat.parent.name), *children(int(stat.parent.name))]
    return found


def test_the_layers_are_told_in_the_contracts_words(wall):
    assert set(wall.layers) <= {"bwrap", "landlock", "seccomp", "uid", "limits"}
    assert wall.layers == tuple(layer for layer in wall_layers() if layer in wall.layers)


def wall_layers():
    return wall.LAYERS


LAYER_SETS = {
    "all": frozenset(),
    "no bwrap": frozenset({"bwrap"}),
    "no Landlock": frozenset({"landlock"}),
    "no bwrap, no own user": frozenset({"bwrap", "uid"}),
    "no seccomp": frozenset({"seccomp"}),
}


@pytest.mark.parametrize("which", LAYER_SETS)
def test_doctor_finds_files_hidden_wherever_a_hiding_layer_stands(which):
    examination = doctor.examine(LAYER_SETS[which])
    if not {"bwrap", "landlock"} & set(examination.layers):
        pytest.skip(f"this machine has neither bwrap nor Landlock: {examination.troubles}")
    crossed = {crossing.attempt for crossing in examination.crossings if crossing.crossed}
    allowed = {"start a program", "fork"} if which == "no seccomp" else set()
    assert examination.ok and crossed <= allowed, "\n".join(examination.lines())


def test_doctor_sees_every_crossing_where_nothing_stands():
    examination = doctor.examine(frozenset(wall.LAYERS))
    not_crossed = {crossing.attempt for crossing in examination.crossings if not crossing.crossed}
    by_the_grader_itself = {"read the grader's environment"}  # it is not dumpable
    assert not examination.ok and not_crossed <= by_the_grader_itself, "\n".join(examination.lines())
    assert any("NOT hidden" in line for line in examination.lines())


def test_with_nothing_that_hides_files_no_wall_is_raised(monkeypatch):
    monkeypatch.setattr(wall, "bubblewrap_path", lambda: None)
    with pytest.raises(wall.WallError, match="--no-wall"), wall.raise_wall(without=frozenset({"landlock"})):
        pass


def test_unless_both_layers_are_taken_away_in_so_many_words():
    with wall.raise_wall(without=wall.NO_WALL) as raised:
        assert not raised.hides_files and not {"bwrap", "landlock", "seccomp"} & set(raised.layers)
        (answer,) = raised.admit(FINE).ask([Call("fine")])
    assert answer.value == 1


def test_an_unknown_layer_is_the_callers_mistake():
    with pytest.raises(ValueError, match="no layer is called moat"), wall.raise_wall(without=frozenset({"moat"})):
        pass


def test_where_bwrap_is_refused_the_other_layers_stand_and_the_reason_is_told(monkeypatch, tmp_path):
    refusing = tmp_path / "bwrap"
    refusing.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    refusing.chmod(0o755)
    monkeypatch.setattr(wall, "bubblewrap_path", lambda: str(refusing))
    with wall.raise_wall() as raised:
        if "landlock" not in raised.layers:
            pytest.skip("no Landlock in this kernel")
        assert "bwrap" not in raised.layers and "uid map" in raised.troubles["bwrap"]
        assert raised.hides_files


ENDINGS = {"bwrap is killed": "kill -9 $$", "what it runs is killed": "exit 137"}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_bwrap_that_was_killed_while_it_started_is_started_again(ending, monkeypatch, tmp_path):
    real = wall.bubblewrap_path()
    if real is None:
        pytest.skip("bubblewrap is not installed")
    killed = tmp_path / "bwrap"
    once = tmp_path / "once"
    killed.write_text(f'#!/bin/sh\n[ -e {once} ] && exec {real} "$@"\ntouch {once}\n{ENDINGS[ending]}\n')
    killed.chmod(0o755)
    monkeypatch.setattr(wall, "bubblewrap_path", lambda: str(killed))
    with wall.raise_wall() as raised:
        assert once.exists() and ("bwrap" in raised.layers or "can't run here" in raised.troubles["bwrap"])
        assert "killed" not in raised.troubles.get("bwrap", "")


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_bwrap_that_is_always_killed_makes_no_weaker_wall(ending, monkeypatch, tmp_path):
    killed = tmp_path / "bwrap"
    killed.write_text(f"#!/bin/sh\n{ENDINGS[ending]}\n")
    killed.chmod(0o755)
    monkeypatch.setattr(wall, "bubblewrap_path", lambda: str(killed))
    with pytest.raises(wall.WallError, match="did not start"), wall.raise_wall():
        pass


def test_where_libseccomp_is_missing_the_other_layers_stand(monkeypatch):
    def missing():
        raise syscalls.NoSeccompError("Unable to find libseccomp; install it")

    monkeypatch.setattr(syscalls, "program", missing)
    with wall.raise_wall() as raised:
        assert "seccomp" not in raised.layers and "libseccomp" in raised.troubles["seccomp"]


def test_a_kernel_without_landlock_is_told(monkeypatch):
    monkeypatch.setattr(
        zygote,
        "_MAIN",
        zygote._MAIN.replace("main({fd})", "from inside import cage; cage.Landlock._CREATE = 9999; main({fd})"),
    )
    with wall.raise_wall() as raised:
        assert "landlock" not in raised.layers and "landlock" in raised.troubles


@pytest.mark.parametrize("version", [1, 3, 5])
def test_an_older_landlock_hides_files_too(version, monkeypatch):
    older = (
        "from inside import cage; call = cage.Landlock._call; "
        f"cage.Landlock._call = staticmethod(lambda n, *a: {version} if n == 444 and a[0] is None else call(n, *a)); "
    )
    monkeypatch.setattr(zygote, "_MAIN", zygote._MAIN.replace("main({fd})", older + "main({fd})"))
    examination = doctor.examine(frozenset({"bwrap"}))
    if "landlock" not in examination.layers:
        pytest.skip("no Landlock in this kernel")
    assert examination.ok, "\n".join(examination.lines())
    assert not [crossing.attempt for crossing in examination.crossings if crossing.crossed]


@pytest.mark.parametrize("name", ["package", "package/module.py"])
def test_what_its_owner_alone_may_read_is_found(name, tmp_path):
    """Packages that were installed with a umask of 077: another user than the grader's can't import from them."""
    (tmp_path / "package").mkdir()
    (tmp_path / "package").chmod(0o755)
    (tmp_path / "package" / "module.py").touch()
    (tmp_path / "package" / "module.py").chmod(0o644)
    here = replace(readable(), paths=(tmp_path / "package",))
    assert here.closed() is None
    (tmp_path / name).chmod(0o700)
    assert here.closed() == tmp_path / name


def test_where_packages_are_closed_to_others_student_code_runs_as_the_user_who_may_read_them(tmp_path, monkeypatch):
    if os.geteuid() != 0:
        pytest.skip("only root gives each student's process a user of its own")
    (tmp_path / "package").mkdir(mode=0o700)
    monkeypatch.setattr(wall, "readable", lambda: replace(readable(), paths=(tmp_path / "package",)))
    with wall.raise_wall() as raised, closing(raised.admit([Cell("import numpy.ma\n", "a.py")])) as process:
        assert process.loaded.problems == ()
        assert "uid" not in raised.layers
        assert "chmod -R go+rX" in raised.troubles["uid"]


def test_the_readable_set_holds_no_site_packages_and_nothing_of_the_kit():
    paths = [Path(path) for path in readable().exact()]
    kit = ROOT / "autograder"
    for path in paths:
        assert path.name not in ("site-packages", "dist-packages")
        assert path != kit and kit not in path.parents and path not in kit.parents
    packages = {path.name for path in paths if path.parent.name in ("site-packages", "dist-packages")}
    assert {"numpy", "torch", "msgpack"} <= packages
    assert not packages & {"pytest", "_pytest", "nbgrader", "autograder", "hypothesis"}


@pytest.mark.parametrize("preload", ["", "import torch\n"])
def test_the_grader_holds_no_torch_and_a_child_of_either_zygote_answers(wall, preload):
    process = wall.admit([Cell(preload + "import torch\ndef f(): return torch.ones(1)", "t.py")])
    assert process.ask([Call("f")])[0].value.array[0] == 1
    process.close()


@pytest.mark.parametrize("advice", [25, 9999], ids=["large pages", "a kernel without them"])
def test_children_answer_alike_before_and_after_the_zygotes_memory_is_gathered(monkeypatch, advice):
    early = f"from inside import pages, zygote; zygote._MANY, pages._COLLAPSE = 2, {advice}; "
    monkeypatch.setattr(zygote, "_MAIN", zygote._MAIN.replace("main({fd})", early + "main({fd})"))
    source = "import numpy as np\nkept = np.arange(1 << 20)\ndef total(): return int(kept.sum())"
    with wall.raise_wall(limits=SHORT) as raised:
        processes = [raised.admit([Cell(source, "sum.py")]) for _ in range(3)]
        answers = [process.ask([Call("total")])[0].value for process in processes]
        for process in processes:
            process.close()
    assert answers == [sum(range(1 << 20))] * 3


def test_a_killed_zygote_is_replaced_once_and_what_was_asked_is_told_as_disturbed():
    with wall.raise_wall(limits=SHORT) as raised:
        process = raised.admit([Cell("def loop():\n    while True: pass", "l.py")])
        os.kill(children(raised._zygotes[("numpy",)].pid)[0], signal.SIGKILL)
        (answer,) = process.ask([Call("loop")])
        assert answer.kind is AnswerKind.CRASHED and process.disturbed
        (answer,) = raised.admit(FINE).ask([Call("fine")])
        assert answer.value == 1


def test_a_child_that_is_killed_from_outside_is_disturbed_and_one_that_exits_is_not(admit):
    process = admit("import time\ndef sleep(): time.sleep(60)\ndef fine(): return 1")
    signal.pidfd_send_signal(process._pidfd, signal.SIGKILL)
    (answer,) = process.ask([Call("fine")])
    assert answer.kind is AnswerKind.CRASHED and process.disturbed
    process = admit("import os\ndef leave(): os._exit(9)")
    process.ask([Call("leave")])
    assert not process.disturbed


def test_a_segmentation_fault_is_told(admit):
    process = admit("import ctypes\ndef crash(): ctypes.string_at(0)")
    (answer,) = process.ask([Call("crash")])
    assert (answer.kind, answer.detail) == (AnswerKind.CRASHED, "killed by SIGSEGV")
    assert not process.disturbed


def test_closing_the_wall_leaves_no_process():
    with wall.raise_wall(limits=SHORT) as raised:
        processes = [raised.admit(FINE) for _ in range(3)]
        pids = children(raised._zygotes[("numpy",)].pid)
        assert len(pids) >= len(processes)
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))


@pytest.mark.parametrize("without", [frozenset(), frozenset({"bwrap"})])
def test_killing_the_grader_leaves_no_process(without, tmp_path):
    pids = tmp_path / "pids"
    grader = subprocess.Popen(
        [
            sys.executable,
            "-c",
            (
                "import sys, time\n"
                "from autograder.boundary.outside.wall import raise_wall\n"
                "from autograder.catalogue.cell import Cell\n"
                f"with raise_wall(frozenset({sorted(without)!r})) as wall:\n"
                "    process = wall.admit([Cell('def loop():\\n    while True: pass', 'l.py')])\n"
                "    print(wall._zygotes[('numpy',)].pid, flush=True)\n"
                "    time.sleep(3600)\n"
            ),
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    root = int(grader.stdout.readline())
    pids = [root, *children(root)]
    assert len(pids) >= 2
    grader.kill()
    grader.wait()
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))


def test_several_walls_may_stand_at_once():
    with wall.raise_wall() as one, wall.raise_wall() as two:
        processes = [raised.admit(FINE) for raised in (one, two, one)]
        assert [process.ask([Call("fine")])[0].value for process in processes] == [1, 1, 1]


def test_the_graders_memory_and_descriptors_do_not_grow(wall):
    import resource

    def cycle():
        for _ in range(30):
            process = wall.admit(FINE)
            process.ask([Call("fine")] * 5)
            process.close()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, len(os.listdir("/proc/self/fd"))

    cycle()
    memory, descriptors = cycle()
    for _ in range(3):
        later_memory, later_descriptors = cycle()
    assert later_descriptors == descriptors
    assert later_memory - memory < 2048  # KiB


def test_a_request_is_packed_once_for_all_submissions():
    from autograder.boundary.outside import frames

    request = Call("fine")
    assert frames.packed(request) is frames.packed(request)


def test_cpu_seconds_are_the_kernels(admit):
    process = admit("import time\ntime.process_time = lambda: 0\ndef burn(n):\n    for i in range(n): pass")
    process.ask([Call("burn", (3_000_000,))])
    assert process.cpu_seconds > 0.02


@pytest.mark.parametrize("without", ["", "bwrap"])
def test_an_ordinary_user_has_a_wall_too(without):
    python = python_for_anyone()
    if os.geteuid() != 0 or python is None:
        pytest.skip("this test changes from root to an ordinary user, who needs a Python that anyone may run")
    packages = Path(pytest.__file__).parents[1]
    run = subprocess.run(
        [
            "setpriv",
            "--reuid=1000",
            "--regid=1000",
            "--clear-groups",
            python,
            "-c",
            (
                "from autograder.boundary.outside.doctor import examine\n"
                f"examination = examine(frozenset({without.split()}))\n"
                "print('\\n'.join(examination.lines()))\nassert examination.ok"
            ),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={"HOME": "/nonexistent", "PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT}:{packages}"},
    )
    assert run.returncode == 0, run.stdout + run.stderr
