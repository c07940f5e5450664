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

// Every number that was typed, the likeliest first; the same forms as autograder/quiz/marks/numbers.py.
function readings(typed) {
  let text = typed.replace(/\u2212/g, "-").replace(/\s+/g, " ").replace(/^[$ ]+|[$ ]+$/g, "").replace(/\.+$/, "").trim();
  const share = text.endsWith("%") ? 100 : 1;
  text = text.replace(/\\?%$/, "").trimEnd();
  const line = (text.length === 1 ? text.normalize("NFKC").replace("\u2044", "/") : text)
    .replace(/^([-+]?)\\[dt]?frac\{(\d{1,15})\}\{(\d{1,15})\}$/, "$1$2/$3");
  const fraction = line.match(/^([-+]?\d{1,15}) ?\/ ?(\d{1,15})$/);
  if (fraction) return Number(fraction[2]) ? [fraction[1] / fraction[2] / share] : [];
  text = text.replace(/ ?(?:[*×·]|\\cdot|\\times) ?10\^ ?\{?([-+]?\d{1,3})\}?$/, "e$1");
  if (/^[-+]?\d{1,3}(?:[ '’]\d{3})+(?:[.,]\d+)?$/.test(text)) text = text.replace(/[ '’]/g, "");
  const forms = [];
  if (/^[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?(e[-+]?\d{1,3})?$/i.test(text)) forms.push(text.replace(/,/g, ""));
  if (/^[-+]?(?:\d+\.?\d*|\.\d+)(e[-+]?\d{1,3})?$/i.test(text)) forms.push(text);
  if (/^[-+]?\d*,\d+(e[-+]?\d{1,3})?$/i.test(text)) forms.push(text.replace(",", "."));
  if (/^[-+]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?$/.test(text)) forms.push(text.replace(/\./g, "").replace(",", "."));
  return forms.map((form) => Number(form) / share).filter(Number.isFinite);
}

function checkNumber(question, answers) {
  const numbers = readings(question.querySelector("input").value);
  if (!numbers.length) return show(question, "", "Type a number first, like 12, 0.5 or 1/8.");
  const near = (value) => numbers.some((number) => Math.abs(number - value) <= answers.tolerance + 1e-9 * Math.max(1, Math.abs(value)));
  if (near(answers.key)) return show(question, "right", "Correct.", answers.explanation);
  const known = answers.wrong.find((wrong) => near(wrong.value));
  show(question, "wrong", "Not yet.", known ? known.feedback : "<p>Look at the sizes and the formula once more.</p>");
}

function compare(question, answers) {
  if (!question.querySelector("textarea").value.trim()) return show(question, "", "Write your answer first.");
  show(question, "", "Compare your answer with this one:", answers.answer, answers.explanation);
}

for (const question of quiz.querySelectorAll("fieldset")) {
  const answers = JSON.parse(question.dataset.answers);
  const check = { numeric: checkNumber, short: compare }[question.dataset.kind] || checkOptions;
  question.querySelector("button").addEventListener("click", () => check(question, answers));
  for (const input of question.querySelectorAll("input"))
    input.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); check(question, answers); } });
}
