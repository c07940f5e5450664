"use strict";
const quiz = document.getElementById("quiz");
const cell = (text) => '"' + text.replace(/"/g, '""') + '"';

function responseTo(question) {
  const chosen = [...question.querySelectorAll("input:checked")].map((input) => input.value);
  const typed = question.querySelector("input[type=text], textarea");
  return typed ? typed.value : chosen.join(", ");
}

quiz.addEventListener("submit", (event) => {
  event.preventDefault();
  const student = document.getElementById("student");
  const problem = document.getElementById("student-problem");
  if (!student.value.trim()) {
    problem.textContent = "Fill in your student id, then save again.";
    student.setAttribute("aria-invalid", "true");
    student.focus();
    return;
  }
  problem.textContent = "";
  student.removeAttribute("aria-invalid");
  const questions = [...quiz.querySelectorAll("fieldset")];
  const rows = questions.map((question) => [student.value.trim(), question.dataset.item, responseTo(question)].map(cell).join(","));
  const file = new Blob(["student,item,response\r\n", rows.join("\r\n"), "\r\n"], { type: "text/csv" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = quiz.dataset.bank + "_" + student.value.trim().replace(/[^\w.-]+/g, "_") + ".csv";
  link.click();
  const blank = questions.filter((question) => !responseTo(question).trim()).length;
  document.getElementById("saved").textContent =
    "Saved as " + link.download + (blank ? ". Questions without a response: " + blank + "." : ".") + " Hand this file in.";
});
