"use strict";
const quiz = document.getElementById("quiz");
quiz.addEventListener("submit", (event) => event.preventDefault());

function show(question, verdict, word, ...texts) {
  const feedback = question.querySelector(".feedback");
  feedback.className = "feedback " + verdict;
  feedback.innerHTML = "<p><strong></strong></p>" + texts.join("");
  feedback.querySelector("strong").textContent = word;
}

function checkOptions(question, answers) {
  const chosen = [...question.querySelectorAll("input:checked")].map((input) => input.value);
  if (!chosen.length) return show(question, "", "Choose an answer first.");
  const right = Object.keys(answers.options).filter((value) => answers.options[value].correct);
  if (chosen.length === right.length && chosen.every((value) => right.includes(value)))
    return show(question, "right", "Correct.", answers.explanation);
  const wrong = chosen.filter((value) => !answers.options[value].correct);
  const texts = wrong.map((value) => answers.options[value].feedback);
  if (!wrong.length) texts.push("<p>What you chose is right, and something is still missing.</p>");
  show(question, "wrong", "Not yet.", ...texts);
}

function checkNumber(question, answers) {
  const typed = question.querySelector("input").value.replace("\u2212", "-").replace(/\s/g, "");
  const fraction = typed.match(/^(-?\d+)\/(\d+)$/);
  const thousands = /^-?\d{1,3}(,\d{3})+(\.\d*)?$/.test(typed);
  const plain = thousands ? typed.replace(/,/g, "") : typed.replace(",", ".");
  const number = fraction ? fraction[1] / fraction[2] : Number(plain);
  if (!typed || !Number.isFinite(number)) return show(question, "", "Type a number first, like 12, 0.5 or 1/8.");
  const near = (value) => Math.abs(number - value) <= answers.tolerance + 1e-9 * Math.max(1, Math.abs(answers.key));
  if (near(answers.key)) return show(question, "right", "Correct.", answers.explanation);
  const known = answers.wrong.find((wrong) => near(wrong.value));
  show(question, "wrong", "Not yet.", known ? known.feedback : "<p>Look at the sizes and the formula once more.</p>");
}

function compare(question, answers) {
  if (!question.querySelector("textarea").value.trim()) return show(question, "", "Write your answer first.");
  show(question, "", "Compare your answer with this one: " + answers.answer, answers.explanation);
}

for (const question of quiz.querySelectorAll("fieldset")) {
  const answers = JSON.parse(question.dataset.answers);
  const check = { numeric: checkNumber, short: compare }[question.dataset.kind] || checkOptions;
  question.querySelector("button").addEventListener("click", () => check(question, answers));
  for (const input of question.querySelectorAll("input"))
    input.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); check(question, answers); } });
}
