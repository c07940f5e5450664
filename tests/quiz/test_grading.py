"""A class's file of responses is graded row by row: one bad row is one row's problem."""

import csv
from pathlib import Path

import pytest

from autograder.commands import main
from autograder.quiz.banks.loading import bank_names, load_bank
from autograder.quiz.formulas import number_text

HEADER = "student,item,response\n"


@pytest.fixture
def run(tmp_path, capsys):
    """Grades `text` against the knowledge check; gives status, results by (student, item), and what was said."""

    def grade(text: str | bytes, *options: str):
        path = tmp_path / "responses.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        out = tmp_path / "out"
        status = main(["quiz", "grade", str(path), "--quiz", "knowledge_check", "--out", str(out), *options])
        said = capsys.readouterr()
        results = rows(out / "quiz_results.csv") if (out / "quiz_results.csv").exists() else []
        return status, {(row["student"], row["item"]): row for row in results}, said.out + said.err

    return grade


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_result_has_the_contracts_columns_and_a_row_for_every_item(run):
    status, results, _ = run(HEADER + "student-01,kc-03,a\n")
    assert status == 0
    assert len(results) == 10
    assert results["student-01", "kc-03"] == {
        "student": "student-01",
        "item": "kc-03",
        "outcome": "correct",
        "score": "1",
        "max_score": "1",
        "reason": "the key",
    }
    assert results["student-01", "kc-04"]["outcome"] == "blank"


def test_a_byte_order_mark_crlf_and_semicolons_are_a_spreadsheets_ways(run):
    text = '\ufeffStudent; Item ;RESPONSE\r\nstudent-01;KC-03;a\r\n\r\nstudent-02;kc-07;"O(n^2); memory"\r\n'
    status, results, _ = run(text)
    assert status == 0
    assert results["student-01", "kc-03"]["outcome"] == "correct"
    assert results["student-02", "kc-07"]["outcome"] == "correct"


def test_bytes_that_are_no_utf8_are_told_by_row_and_go_to_review(run):
    status, results, _ = run(HEADER.encode() + b"student-01,kc-01,caf\xe9 sequence\nstudent-01,kc-03,a\n")
    assert results["student-01", "kc-01"]["outcome"] == "review"
    assert results["student-01", "kc-01"]["reason"] == "row 2: the response is not UTF-8"
    assert results["student-01", "kc-03"]["outcome"] == "correct"
    status, _, said = run(HEADER.encode() + b"st\xfcdent,kc-01,a\n")
    assert status == 1
    assert "Row 2" in said and "UTF-8" in said


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "empty"),
        ("a,b\n", "first row"),
        ("student,response\ns,a\n", "student,item,response"),
        ((HEADER + "student-01,kc-01,a\n").encode("utf-16"), "UTF-16"),
        (HEADER + 'student-01,kc-01,"never closed\n', "row 2"),
        (HEADER + 'student-01,kc-01,"a"b\n', "row 2"),
    ],
)
def test_a_file_that_is_no_response_file_is_refused_in_a_sentence(run, text, word):
    status, results, said = run(text)
    assert (status, results) == (1, {})
    assert word in said


def test_a_missing_file_and_a_missing_bank_are_told(tmp_path, capsys):
    for argv in (["nowhere.csv", "--quiz", "knowledge_check"], [__file__, "--quiz", "nowhere"]):
        assert main(["quiz", "grade", *argv, "--out", str(tmp_path / "o")]) == 1
        assert "nowhere" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


def test_unknown_items_and_students_are_told_by_row_and_the_rest_is_graded(run, tmp_path):
    roster = tmp_path / "class.csv"
    roster.write_text("student,name\nstudent-01,A\nstudent-02,B\n", encoding="utf-8")
    text = HEADER + "student-01,kc-99,a\nstudent-77,kc-03,a\n,kc-03,a\nstudent-01,kc-03,a\n"
    status, results, said = run(text, "--students", str(roster))
    assert status == 1
    assert "Row 2" in said and "kc-99" in said
    assert "Row 3" in said and "student-77" in said
    assert "Row 4" in said
    assert results["student-01", "kc-03"]["outcome"] == "correct"
    assert results["student-02", "kc-03"]["outcome"] == "blank"
    assert ("student-77", "kc-03") not in results


def test_two_different_responses_are_for_review_and_two_equal_ones_are_one(run):
    _, results, _ = run(HEADER + "s,kc-03,a\ns,kc-03,b\ns,kc-05,true\ns,kc-05, true\n")
    assert results["s", "kc-03"]["outcome"] == "review"
    assert results["s", "kc-03"]["reason"] == "different responses in rows 2, 3"
    assert results["s", "kc-05"]["outcome"] == "correct"


def test_commas_without_quotes_are_for_review(run):
    _, results, _ = run(HEADER + "s,kc-07,time, memory, O(n^2)\n")
    assert results["s", "kc-07"]["outcome"] == "review"


def test_a_megabyte_and_a_line_end_in_an_answer_stop_nobody(run, tmp_path):
    status, results, _ = run(HEADER + f's,kc-01,{"x" * 1_000_000}\ns,kc-04,"two\nlines"\nt,kc-03,a\n')
    assert status == 0
    assert results["s", "kc-01"]["outcome"] == results["s", "kc-04"]["outcome"] == "review"
    assert results["t", "kc-03"]["outcome"] == "correct"
    assert (tmp_path / "out" / "review_queue.csv").stat().st_size < 10_000


@pytest.mark.parametrize("formula", ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "＝1", "=cmd|' /C calc'!A0"])
def test_no_cell_that_is_written_is_a_formula(run, tmp_path, formula):
    run(HEADER + f'"{formula}",kc-01,"{formula}"\n"{formula}",kc-02,maybe\n')
    for path in (tmp_path / "out").glob("*.csv"):
        for row in rows(path):
            assert not any((cell or "").strip()[:1] in tuple("=+-@＝") for cell in row.values()), path.name


def test_a_score_lies_between_bounds_until_all_is_marked(run, tmp_path):
    run(HEADER + "s,kc-03,a\ns,kc-01,something else\n")
    marks = rows(tmp_path / "out" / "quiz_marks.csv")
    assert marks == [{"student": "s", "lowest": "1", "highest": "2", "max_score": "10", "review": "1", "blank": "8"}]


def fill_in(path: Path, score: str) -> None:
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(",1,,", f",1,{score},"), encoding="utf-8", newline="")


def test_what_a_person_marks_in_the_queue_counts_and_is_kept(run, tmp_path):
    text = HEADER + "=s,kc-03,a\n=s,kc-01,=something else\n"
    queue = tmp_path / "out" / "review_queue.csv"
    run(text)
    fill_in(queue, "0.5")
    for _ in range(2):
        status, results, _ = run(text)
        assert status == 0
        assert results["'=s", "kc-01"]["score"] == "0.5"
        assert results["'=s", "kc-01"]["reason"] == "marked by a person"
        assert [row["score"] for row in rows(queue)] == ["0.5"]
    assert rows(tmp_path / "out" / "quiz_marks.csv")[0]["lowest"] == "1.5"


def test_a_mark_for_another_response_is_kept_and_not_used(run, tmp_path):
    queue = tmp_path / "out" / "review_queue.csv"
    run(HEADER + "s,kc-01,something else\n")
    fill_in(queue, "1")
    status, results, said = run(HEADER + "s,kc-01,something new\n")
    assert status == 1 and "s, kc-01" in said
    assert results["s", "kc-01"]["outcome"] == "review"
    assert [(row["response"], row["score"]) for row in rows(queue)] == [("something new", ""), ("something else", "1")]


def test_a_score_that_is_no_number_leaves_everything_as_it_was(run, tmp_path):
    queue = tmp_path / "out" / "review_queue.csv"
    run(HEADER + "s,kc-01,something else\n")
    fill_in(queue, "half")
    before = queue.read_bytes()
    status, _, said = run(HEADER + "s,kc-01,something else\n")
    assert status == 1 and "half" in said
    assert queue.read_bytes() == before


def test_each_student_gets_a_page_that_explains_and_keeps_the_key(run, tmp_path, axe):
    run(HEADER + '=s/../x,kc-03,b\n=s/../x,kc-05,true\n=s/../x,kc-01,"<script>alert(1)</script>"\n')
    (path,) = (tmp_path / "out" / "feedback").iterdir()
    page = path.read_text(encoding="utf-8")
    assert "1 to 2 of 10 points" in page
    assert "would relate features to features" in page, "the distractor's feedback"
    assert "a row and a column for each token" not in page, "the explanation of a question that was missed"
    assert "nothing in the formula depends on" in page, "the explanation of one that was found"
    assert "<script" not in page and "&lt;script&gt;" in page
    assert axe(page) == []


def test_a_response_to_one_variant_is_not_marked_with_the_key_of_another(tmp_path, capsys):
    bank, other = load_bank("numeric", "1"), load_bank("numeric", "2")
    item = next(item for item in bank.items if item.key != other.item(item.id).key)
    responses = tmp_path / "r.csv"
    text = f'{HEADER}s,"{item.asked_as}",{number_text(item.key)}\n'
    responses.write_text(text, encoding="utf-8")
    for seed, status, outcome in (("1", 0, "correct"), ("2", 1, "blank")):
        arguments = [
            "quiz",
            "grade",
            str(responses),
            "--quiz",
            "numeric",
            "--seed",
            seed,
            "--out",
            str(tmp_path / seed),
        ]
        assert main(arguments) == status
        said = capsys.readouterr().err
        assert not said or ("Row 2" in said and "--seed" in said)
        results = rows(tmp_path / seed / "quiz_results.csv") if (tmp_path / seed / "quiz_results.csv").exists() else []
        assert [row["outcome"] for row in results if row["item"] == item.id] in ([outcome], [])


def test_the_banks_are_those_of_the_quizzes_folder():
    assert "knowledge_check" in bank_names()
