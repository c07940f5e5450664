"""Bulk downloads, each with the facts of its platform."""

import pytest

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.intake import IntakeError, collect

from .conftest import SOURCE, found, notebook, zipped

FIRST = ASSIGNMENTS["01_numpy_self_attention"]

CANVAS = {
    "oneada_4021_880311_numpy_self_attention.py": SOURCE,
    "twobob_LATE_4022_880312_numpy_self_attention-1.ipynb": notebook(SOURCE),
    "three_carol_4023_880313_homework.zip": zipped({"homework/numpy_self_attention.py": SOURCE}),
    "fourdan_4024_text.html": "<p>I could not upload it.</p>",
    "anon_Xk3f9_880315_numpy_self_attention.py": SOURCE,
    "LATE_anon_Yp7q2_880316_numpy_self_attention.py": SOURCE,
    "émile_4027_880317_numpy_self_attention_2_3_4.py": SOURCE,
}

MOODLE = {
    "Ada One_3111_assignsubmission_file_/numpy_self_attention.py": SOURCE,
    "Bob Two_3112_assignsubmission_file_/homework/numpy_self_attention.ipynb": notebook(SOURCE),
    "Carol de la Three_3113_assignsubmission_onlinetext_/onlinetext.html": "<p>See above.</p>",
    "Dan Four_3114_assignsubmission_file/numpy_self_attention.py": SOURCE,
    "Participant_3115_assignsubmission_file_/numpy_self_attention.py": SOURCE,
}

GRADESCOPE = {
    "assignment_5551_export/submission_metadata.yml": """---
submission_7001:
  :submitters:
  - :name: Ada One
    :sid: '0301'
    :email: ada@example.edu
  :created_at: 2030-02-01 10:00:00.000000000 Z
  :score: 0.0
  :status: processed
  :results: !ruby/hash:ActiveSupport::HashWithIndifferentAccess
    tests: []
submission_7002:
  :submitters:
  - :name: Bob Two
    :sid:
    :email: bob@example.edu
  - :name: Carol Three
    :sid: '0303'
submission_7003:
  :submitters:
  - :name: Dan Four
""",
    "assignment_5551_export/submission_7001/numpy_self_attention.py": SOURCE,
    "assignment_5551_export/submission_7002/src/numpy_self_attention.py": SOURCE,
    "assignment_5551_export/submission_7004/numpy_self_attention.py": SOURCE,
}

CLASSROOM = {
    f"self-attention-submissions/self-attention-{user}/{name}": content
    for user in ("student-01", "student-02")
    for name, content in {
        ".git/HEAD": "ref: refs/heads/main\n",
        ".github/classroom/autograding.json": "{}",
        "README.md": "",
        "test_visible_numpy_self_attention.py": "x = 1\n",
        "src/numpy_self_attention.py": SOURCE,
    }.items()
}


@pytest.fixture(params=["folder", "zip"])
def arrives(request, folder, tmp_path):
    """The download as a zip, and unpacked."""

    def arrive(files):
        if request.param == "folder":
            return folder(files)
        path = tmp_path / "class.zip"
        path.write_bytes(zipped(files))
        return path

    return arrive


def test_canvas_names_the_student_by_name_and_number(arrives):
    submissions = found(arrives(CANVAS), FIRST)
    assert {student for student, _ in submissions} == {
        "oneada_4021",
        "twobob_4022",
        "three_carol_4023",
        "fourdan_4024",
        "anon_Xk3f9",
        "anon_Yp7q2",
        "émile_4027",
    }
    assert submissions["twobob_4022", FIRST.id].files[0].name == "numpy_self_attention-1.ipynb"
    assert submissions["émile_4027", FIRST.id].files[0].name == "numpy_self_attention_2_3_4.py"
    assert "text.html" in submissions["fourdan_4024", FIRST.id].problem
    assert sum(1 for s in submissions.values() if not s.problem) == 6


def test_a_canvas_file_given_alone_is_its_students(folder):
    root = folder(CANVAS)
    assert list(found(root / "oneada_4021_880311_numpy_self_attention.py")) == [("oneada_4021", FIRST.id)]


def test_moodle_names_the_student_by_full_name_and_number(arrives):
    submissions = found(arrives(MOODLE))
    assert [student for student, _ in submissions] == [
        "Ada One_3111",
        "Bob Two_3112",
        "Carol de la Three_3113",
        "Dan Four_3114",
        "Participant_3115",
    ]
    assert [s.student for s in submissions.values() if s.problem] == ["Carol de la Three_3113"]


def test_moodle_without_folders_has_the_student_before_each_files_name(arrives):
    flat = {name.replace("_/", "_").replace("_file/", "_file_").replace("work/", ""): c for name, c in MOODLE.items()}
    assert [s.student for s in collect([arrives(flat)]) if not s.problem] == [
        "Ada One_3111",
        "Bob Two_3112",
        "Dan Four_3114",
        "Participant_3115",
    ]


def test_moodle_takes_the_first_owner_that_a_name_tells(folder):
    name = "Ada One_3111_assignsubmission_file_Bob Two_3112_assignsubmission_file_numpy_self_attention.py"
    assert [s.student for s in collect([folder({name: SOURCE})], FIRST)] == ["Ada One_3111"]


def test_gradescope_names_students_from_its_metadata(arrives):
    submissions = found(arrives(GRADESCOPE))
    assert {student: bool(s.problem) for (student, _), s in submissions.items()} == {
        "0301": False,
        "bob@example.edu": False,
        "0303": False,
        "Dan Four": True,
        "submission_7004": False,
    }
    assert submissions["0303", FIRST.id].notes == ("This was handed in by a group of 2.",)


def test_a_gradescope_export_can_be_given_by_its_own_folder(folder):
    assert "0301" in {s.student for s in collect([folder(GRADESCOPE) / "assignment_5551_export"])}


@pytest.mark.parametrize("metadata", ["a: [", "just text", "\x00", "[" * 100_000])
def test_gradescope_metadata_that_cannot_be_read_is_told(folder, metadata):
    files = {"submission_metadata.yml": metadata, "submission_1/numpy_self_attention.py": SOURCE}
    with pytest.raises(IntakeError, match=r"submission_metadata\.yml"):
        collect([folder(files)])


def test_a_student_cannot_speak_for_others_with_metadata_of_their_own(folder):
    claim = "submission_1:\n  :submitters:\n  - :sid: student-02\n"
    root = folder(
        {
            "student-01/submission_metadata.yml": claim,
            "student-01/submission_1/numpy_self_attention.py": SOURCE,
        }
    )
    assert [s.student for s in collect([root])] == ["student-01"]


def test_github_classroom_names_the_student_after_the_slug(arrives):
    submissions = found(arrives(CLASSROOM))
    assert [student for student, _ in submissions] == ["student-01", "student-02"]
    assert submissions["student-01", FIRST.id].files[0].name == "src/numpy_self_attention.py"


def test_github_classrooms_own_folder_can_be_given(folder):
    root = folder(CLASSROOM) / "self-attention-submissions"
    assert [s.student for s in collect([root])] == ["student-01", "student-02"]


@pytest.mark.parametrize("given", [".", "self-attention-submissions"])
def test_a_student_whose_checkout_has_lost_its_git_folder_is_not_lost(folder, given):
    bare = "self-attention-submissions/self-attention-student-03/numpy_self_attention.py"
    root = folder({**CLASSROOM, bare: SOURCE}) / given
    assert [s.student for s in collect([root])] == ["student-01", "student-02", "student-03"]


def test_a_slug_that_is_the_assignments_own_name_tells_the_student(folder):
    root = folder(
        {
            f"{slug}-student-0{n}/{name}": SOURCE
            for n, slug in enumerate(("numpy-self-attention", "01-numpy-self-attention"), start=1)
            for name in (".git/HEAD", "numpy_self_attention.py")
        }
    )
    assert [s.student for s in collect([root])] == ["student-01", "student-02"]


def test_where_the_slug_cannot_be_known_the_whole_name_is_the_student(folder):
    root = folder(
        {f"attention-student-0{n}/{name}": SOURCE for n in (1, 2) for name in (".git/HEAD", "numpy_self_attention.py")}
    )
    assert [s.student for s in collect([root])] == ["attention-student-01", "attention-student-02"]


def test_downloads_of_several_kinds_in_one_folder_are_all_read(folder):
    root = folder({**CANVAS, **MOODLE, "student-09/numpy_self_attention.py": SOURCE})
    students = {s.student for s in collect([root], FIRST)}
    assert {"oneada_4021", "Ada One_3111", "student-09"} < students
    assert len(students) == len(CANVAS) + len(MOODLE) + 1


# --- Names of people's own choice


def owners(submissions):
    """The students, each with the names of the files that are marked."""
    return {s.student: [file.name for file in s.files] for s in submissions}


@pytest.mark.parametrize("name", ["twobob_4022", "twobob_4022_4", "twobob_4022_4_x", "two_bob_4022_4_5"])
def test_who_is_called_like_another_and_a_number_hands_in_nothing_for_that_one_in_canvas(folder, name):
    """`twobob`, whose number is 4022, and somebody who calls himself as Canvas writes that."""
    own, strange = "twobob_4022_880312_numpy_self_attention.py", f"{name}_4099_880399_numpy_self_attention.py"
    submissions = list(collect([folder({own: SOURCE, strange: SOURCE + "\n# another's\n"})], FIRST))
    assert owners(submissions) == {
        "twobob_4022": ["numpy_self_attention.py"],
        f"{name}_4099": ["numpy_self_attention.py"],
    }
    assert name.startswith("two_bob") or "twobob_4022's too" in " ".join(submissions[1].notes)


def test_strangers_whose_names_read_alike_in_canvas_are_not_put_together(folder):
    files = {f"twobob_4022_{user}_88039{user}_numpy_self_attention.py": f"{SOURCE}\n# {user}\n" for user in (7, 8)}
    assert list(owners(collect([folder(files)], FIRST))) == ["twobob_4022_7", "twobob_4022_8"]


@pytest.mark.parametrize("file", ["01_numpy_self_attention.py", "2_numpy_self_attention.py", "a_2_3_b.py"])
def test_a_canvas_file_whose_own_name_has_numbers_is_its_students(folder, file):
    assert owners(collect([folder({f"twobob_4022_880312_{file}": SOURCE})], FIRST)) == {"twobob_4022": [file]}


def test_who_is_called_like_a_moodle_file_of_anothers_hands_in_nothing_for_that_one(folder):
    """Moodle writes a name's underscores as spaces; a program that then writes spaces as underscores makes this."""
    own = "Bob_Two_3112_assignsubmission_file_numpy_self_attention.py"
    strange = "Bob_Two_3112_assignsubmission_file_x_3999_assignsubmission_file_numpy_self_attention.py"
    submissions = list(collect([folder({own: SOURCE, strange: SOURCE + "\n# another's\n"})], FIRST))
    assert owners(submissions) == {
        "Bob_Two_3112": ["numpy_self_attention.py"],
        "Bob_Two_3112_assignsubmission_file_x_3999": ["numpy_self_attention.py"],
    }
    assert "Bob_Two_3112's too" in " ".join(submissions[1].notes)


def test_a_student_whose_id_ends_like_a_classrooms_folder_hands_in_for_nobody_else(folder):
    root = folder({
        "student-01/numpy_self_attention.py": SOURCE,
        "x-submissions/student-01/numpy_self_attention.py": "x = 1\n",
        "x-submissions/student-01/.git/HEAD": "",
        "x-submissions/x-student-01/numpy_self_attention.py": "x = 2\n",
        "x-submissions/x-student-01/.git/HEAD": "",
    })  # fmt: skip
    submissions = found(root, FIRST)
    assert [student for student, _ in submissions] == ["student-01", "x-submissions"]
    assert [file.name for file in submissions["student-01", FIRST.id].files] == ["numpy_self_attention.py"]
    assert [cell.source for cell in submissions["student-01", FIRST.id].files[0].cells] == [SOURCE]


def gradescope(*submitters):
    """An export in which each of these students handed in alone: number, address and name."""
    told = [
        f"submission_{n}:\n  :submitters:\n  - :name: {name}\n    :sid: '{sid}'\n    :email: {email}\n"
        for n, (sid, email, name) in enumerate(submitters, start=1)
    ]
    files = {f"submission_{n}/numpy_self_attention.py": f"x = {n}\n" for n in range(1, len(submitters) + 1)}
    return {"submission_metadata.yml": "".join(told), **files}


def test_who_gives_anothers_number_at_gradescope_hands_in_nothing_for_that_one(folder):
    root = folder(gradescope(("0301", "ada@example.edu", "Ada"), ("0301", "eve@example.edu", "Eve")))
    submissions = list(collect([root], FIRST))
    assert owners(submissions) == {s: ["numpy_self_attention.py"] for s in ("ada@example.edu", "eve@example.edu")}
    assert all("gives the same student" in " ".join(s.notes) for s in submissions)


def test_who_gives_anothers_address_for_a_number_at_gradescope_is_told_apart(folder):
    root = folder(gradescope(("", "ada@example.edu", "Ada"), ("ada@example.edu", "eve@example.edu", "Ada")))
    assert list(owners(collect([root], FIRST))) == ["Ada", "eve@example.edu"]


def test_who_gives_all_that_another_gives_at_gradescope_has_the_folders_name(folder):
    root = folder(gradescope(*[("0301", "ada@example.edu", "Ada")] * 2, ("0302", "", "Ada")))
    assert list(owners(collect([root], FIRST))) == ["0302", "submission_1", "submission_2"]
