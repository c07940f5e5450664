"""Students' folders: whose work it is, and for which assignment."""

import pytest

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.intake import IntakeError, Unplaced, collect

from .conftest import SOURCE, found, notebook, zipped

FIRST = ASSIGNMENTS["01_numpy_self_attention"]
SECOND = ASSIGNMENTS["02_torch_self_attention"]


def test_each_folder_is_a_student_and_a_files_name_tells_the_assignment(folder):
    root = folder(
        {
            "student-01/numpy_self_attention.py": SOURCE,
            "student-02/numpy_self_attention.ipynb": notebook(SOURCE),
            "student-02/torch_self_attention.py": SOURCE,
        }
    )
    submissions = found(root)
    assert list(submissions) == [("student-01", FIRST.id), ("student-02", FIRST.id), ("student-02", SECOND.id)]
    assert submissions["student-01", FIRST.id].files[0].cells[0].source == SOURCE
    assert submissions["student-02", FIRST.id].files[0].cells[0].name == "cell 1"


def test_the_order_of_submissions_is_the_students(folder):
    root = folder({f"student-{n:02}/numpy_self_attention.py": SOURCE for n in (7, 1, 12, 3)})
    assert [s.student for s in collect([root])] == ["student-01", "student-03", "student-07", "student-12"]


def test_a_student_who_handed_in_nothing_has_a_problem_and_not_a_gap(folder):
    root = folder({"student-01/": "", "student-02/numpy_self_attention.py": SOURCE})
    submission = found(root, FIRST)["student-01", FIRST.id]
    assert submission.files == ()
    assert submission.problem == (
        "Nothing was handed in; numpy_self_attention.py or numpy_self_attention.ipynb was expected."
    )


def test_without_the_option_a_student_with_no_known_name_is_taken_for_the_only_assignment(folder):
    root = folder({"student-01/notes.py": SOURCE, "student-02/numpy_self_attention.py": SOURCE})
    assert found(root)["student-01", FIRST.id].files[0].name == "notes.py"


def test_a_student_whose_assignment_cannot_be_told_is_named_and_not_lost(folder):
    root = folder(
        {
            "student-01/notes.py": SOURCE,
            "student-02/numpy_self_attention.py": SOURCE,
            "student-02/torch_self_attention.py": SOURCE,
        }
    )
    collection = collect([root])
    assert {s.student for s in collection} == {"student-02"}
    assert collection.unplaced == (Unplaced("student-01", "No file is named for an assignment; handed in: notes.py."),)


@pytest.mark.parametrize(
    "name",
    [
        "numpy_self_attention (1).ipynb",
        "Copy of numpy_self_attention.ipynb",
        "numpy_self_attention-Copy1.ipynb",
        "numpy_self_attention-2.py",
        "numpy_self_attention copy 2.py",
        "Numpy_Self_Attention.PY",
        "numpy self attention.py",
        "copy_of_numpy_self_attention(3).py",
        "numpy_self_attention.ipynb.json",
        "numpy_self_attention.ipynb.txt",
        "Numpy_Self_Attention.IPYNB.TXT",
        "numpy_self_attention.py.txt",
        "numpy_self_attention (1).py.txt",
        "numpy_self_attention.py ",
    ],
)
def test_a_renamed_copy_serves(folder, name):
    content = notebook(SOURCE) if "ipynb" in name.lower() else SOURCE
    submission = found(folder({f"student-01/{name}": content}))["student-01", FIRST.id]
    assert submission.problem is None
    assert submission.files[0].name == name


def test_a_name_that_is_made_to_be_slow_is_matched_all_the_same(folder):
    slow = "numpy_self_attention" + "_copy_1" * 25 + "x.py"
    root = folder({f"student-01/{slow}": SOURCE, "student-02/numpy_self_attention.py": SOURCE})
    assert found(root)["student-01", FIRST.id].files[0].name.startswith("numpy_self_attention_copy_1")


@pytest.mark.parametrize("name", ["numpy_self_attention_final_version.py", "Untitled.ipynb", "solution.py"])
def test_with_the_assignment_named_a_file_of_any_name_serves_if_it_is_the_only_one(folder, name):
    content = notebook(SOURCE) if name.endswith("ipynb") else SOURCE
    root = folder({f"student-01/{name}": content, "student-01/README.md": "", "student-01/conftest.py": ""})
    assert found(root, FIRST)["student-01", FIRST.id].files[0].name == name


def test_of_two_files_with_other_names_neither_is_guessed(folder):
    root = folder({"student-01/a.py": SOURCE, "student-01/b.py": SOURCE + "\n"})
    submission = found(root, FIRST)["student-01", FIRST.id]
    assert submission.files == ()
    assert "No file is named numpy_self_attention.py" in submission.problem
    assert "a.py, b.py" in submission.problem


def test_another_assignments_file_is_not_taken_for_this_one(folder):
    root = folder({"student-01/torch_self_attention.py": SOURCE})
    submission = found(root, FIRST)["student-01", FIRST.id]
    assert submission.files == ()
    assert "torch_self_attention.py" in submission.problem


def test_the_exact_name_counts_over_a_renamed_copy(folder):
    root = folder(
        {
            "student-01/numpy_self_attention.py": SOURCE,
            "student-01/numpy_self_attention (1).py": SOURCE + "x = 1\n",
        }
    )
    submission = found(root)["student-01", FIRST.id]
    assert [f.name for f in submission.files] == ["numpy_self_attention.py"]
    assert submission.notes == (
        "numpy_self_attention (1).py was left aside, since numpy_self_attention.py has the name that was asked for.",
    )


@pytest.mark.parametrize(
    "name", ["notes.txt", "results.json", "x.py.bak", "x.pyw", ".py.txt", ".ipynb.json", "numpy.txt"]
)
def test_a_file_of_another_kind_is_not_taken_for_work(folder, name):
    root = folder({f"student-01/{name}": SOURCE})
    assert found(root, FIRST)["student-01", FIRST.id].files == ()


def test_of_several_renamed_copies_none_is_guessed_to_be_the_newest(folder):
    root = folder(
        {
            "student-01/numpy_self_attention (1).py": SOURCE,
            "student-01/numpy_self_attention (2).py": SOURCE + "x = 1\n",
            "student-01/numpy_self_attention (3).py": SOURCE,
        }
    )
    submission = found(root)["student-01", FIRST.id]
    assert [f.name for f in submission.files] == ["numpy_self_attention (1).py", "numpy_self_attention (2).py"]
    assert submission.notes == (
        "Nothing tells which of 2 different .py files is the submission: "
        "numpy_self_attention (1).py, numpy_self_attention (2).py.",
    )


def test_many_different_copies_are_told_and_not_all_graded(folder):
    root = folder({f"student-01/numpy_self_attention ({n}).py": f"x = {n}\n" for n in range(9)})
    submission = found(root)["student-01", FIRST.id]
    assert submission.files == ()
    assert "9 different files could each be the submission" in submission.problem


def test_nbgraders_layout_is_read_and_its_own_files_are_left_aside(folder):
    root = folder(
        {
            "student-01/01_numpy_self_attention/numpy_self_attention.ipynb": notebook(SOURCE),
            "student-01/01_numpy_self_attention/timestamp.txt": "2030-01-01 00:00:00 UTC",
            "student-01/02_torch_self_attention/torch_self_attention.ipynb": notebook(SOURCE),
            "student-02/01_numpy_self_attention/my answers.ipynb": notebook(SOURCE),
            "student-02/01_numpy_self_attention/.ipynb_checkpoints/my answers-checkpoint.ipynb": notebook("1"),
            "student-03/02_torch_self_attention/timestamp.txt": "",
        }
    )
    submissions = found(root)
    assert list(submissions) == [
        ("student-01", FIRST.id),
        ("student-01", SECOND.id),
        ("student-02", FIRST.id),
        ("student-03", SECOND.id),
    ]
    assert submissions["student-02", FIRST.id].files[0].name == "01_numpy_self_attention/my answers.ipynb"
    assert "Nothing" not in submissions["student-03", SECOND.id].problem


def test_a_file_given_alone_belongs_to_the_student_whose_folder_it_lies_in(folder):
    root = folder(
        {
            "student-01/numpy_self_attention.py": SOURCE,
            "student-02/01_numpy_self_attention/numpy_self_attention.ipynb": notebook(SOURCE),
        }
    )
    paths = [
        root / "student-01/numpy_self_attention.py",
        root / "student-02/01_numpy_self_attention/numpy_self_attention.ipynb",
    ]
    assert list(found(paths)) == [("student-01", FIRST.id), ("student-02", FIRST.id)]


def test_one_students_folder_given_alone_is_that_student(folder):
    root = folder({"student-01/numpy_self_attention.py": SOURCE})
    assert list(found(root / "student-01")) == [("student-01", FIRST.id)]
    nested = folder({"student-02/01_numpy_self_attention/numpy_self_attention.py": SOURCE})
    assert list(found(nested / "student-02")) == [("student-02", FIRST.id)]


def test_a_student_found_in_two_inputs_is_one_student_and_neither_file_is_lost(folder):
    root = folder(
        {
            "first/student-01/numpy_self_attention.py": SOURCE,
            "again/student-01/numpy_self_attention.py": SOURCE + "x = 1\n",
            "again/student-01/torch_self_attention.py": SOURCE,
        }
    )
    submissions = found([root / "first", root / "again"])
    assert list(submissions) == [("student-01", FIRST.id), ("student-01", SECOND.id)]
    twice = submissions["student-01", FIRST.id]
    assert {file.cells[0].source for file in twice.files} == {SOURCE, SOURCE + "x = 1\n"}
    assert "Nothing tells which of 2 different .py files is the submission" in twice.notes[0]


def test_the_same_file_in_two_inputs_counts_once(folder):
    root = folder(
        {
            "first/student-01/numpy_self_attention.py": SOURCE,
            "again/student-01/numpy_self_attention.py": SOURCE,
        }
    )
    submission = found([root / "first", root / "again"])["student-01", FIRST.id]
    assert (len(submission.files), submission.notes) == (1, ())


def test_a_students_own_zip_is_opened(folder):
    root = folder(
        {
            "student-01/homework.zip": zipped(
                {
                    "homework/numpy_self_attention.py": SOURCE,
                    "__MACOSX/homework/._numpy_self_attention.py": b"\0\5",
                }
            ),
            "student-02.zip": zipped({"numpy_self_attention.py": SOURCE}),
        }
    )
    submissions = found(root)
    assert list(submissions) == [("student-01", FIRST.id), ("student-02", FIRST.id)]
    assert submissions["student-01", FIRST.id].files[0].name == "homework/numpy_self_attention.py"


@pytest.mark.parametrize("wrapper", ["", "class/", "autumn/"])
def test_a_zip_of_a_class_is_read_with_or_without_a_folder_around_it(tmp_path, wrapper):
    path = tmp_path / "class.zip"
    path.write_bytes(
        zipped(
            {
                f"{wrapper}student-01/numpy_self_attention.py": SOURCE,
                f"{wrapper}student-02/": "",
                f"{wrapper}student-03/01_numpy_self_attention/numpy_self_attention.py": SOURCE,
            }
        )
    )
    submissions = found(path)
    assert list(submissions) == [(f"student-0{n}", FIRST.id) for n in (1, 2, 3)]
    assert submissions["student-02", FIRST.id].problem.startswith("Nothing was handed in")


@pytest.mark.parametrize("others", [{}, {"class/student-03/numpy_self_attention.py": SOURCE}])
def test_a_zip_of_a_zip_for_each_student_is_read_with_a_folder_around_it(tmp_path, others):
    path = tmp_path / "class.zip"
    each = {f"class/student-0{n}.zip": zipped({"numpy_self_attention.py": SOURCE}) for n in (1, 2)}
    path.write_bytes(zipped({**each, **others}))
    submissions = found(path)
    assert list(submissions) == [(f"student-0{n}", FIRST.id) for n in range(1, 3 + len(others))]
    assert not any(s.problem for s in submissions.values())


def test_two_zips_in_a_students_folder_are_both_that_students(tmp_path):
    path = tmp_path / "class.zip"
    parts = {f"student-01/{name}.zip": zipped({f"{name}.py": SOURCE}) for name in ("numpy_self_attention", "rest")}
    path.write_bytes(zipped(parts))
    assert list(found(path)) == [("student-01", FIRST.id)]


def test_what_machines_make_is_left_aside(folder):
    root = folder(
        {
            "student-01/numpy_self_attention.py": SOURCE,
            "student-01/.ipynb_checkpoints/numpy_self_attention.py": "x = 1\n",
            "student-01/__pycache__/numpy_self_attention.py": "x = 2\n",
            "student-01/venv/lib/numpy_self_attention.py": "x = 3\n",
            "student-01/._numpy_self_attention.py": b"\0\1",
            "__MACOSX/student-09/numpy_self_attention.py": SOURCE,
            ".DS_Store": b"\0",
            ".git/config": "",
        }
    )
    submissions = found(root)
    assert list(submissions) == [("student-01", FIRST.id)]
    assert len(submissions["student-01", FIRST.id].files) == 1


def test_a_path_that_does_not_exist_cannot_be_used(tmp_path):
    with pytest.raises(IntakeError, match="nowhere does not exist"):
        collect([tmp_path / "nowhere"])


@pytest.mark.parametrize("assignment", [None, FIRST])
def test_an_empty_folder_cannot_be_used(tmp_path, assignment):
    with pytest.raises(IntakeError, match="nothing that could be a submission"):
        collect([tmp_path], assignment)


def test_a_class_in_which_no_file_is_named_for_an_assignment_asks_for_the_option(folder):
    with pytest.raises(IntakeError, match="name it with --assignment"):
        collect([folder({"student-01/a.py": SOURCE, "student-02/": ""})])


def test_a_file_of_another_kind_cannot_be_used(folder):
    with pytest.raises(IntakeError, match=r"notes\.txt is no \.py, \.ipynb or zip"):
        collect([folder({"notes.txt": ""}) / "notes.txt"])


def test_a_broken_zip_given_by_the_instructor_cannot_be_used(folder):
    with pytest.raises(IntakeError, match=r"class\.zip is broken"):
        collect([folder({"class.zip": b"PK\3\4 and no more"}) / "class.zip"])


def test_the_submission_hash_is_that_of_the_files_bytes(folder):
    import hashlib

    submission = found(folder({"student-01/numpy_self_attention.py": SOURCE}))["student-01", FIRST.id]
    assert submission.sha256 == hashlib.sha256(SOURCE.encode()).hexdigest()
