// Keys, highlighting and the source without leaving the page. Voting works without any of this.
"use strict";

const ballot = document.getElementById("ballot");
const queryForm = document.getElementById("query-form");
const query = document.getElementById("query");
const clearButton = document.getElementById("clear");
const found = document.getElementById("found");
const sourceButton = document.getElementById("source-button");
const source = document.getElementById("source");
const useKeys = document.getElementById("use-keys");
const fieldsets = [...ballot.querySelectorAll("fieldset")];
const KEYS = { a: "left", b: "right", t: "tie" };

// Highlighting

let levels = null;
let asked = 0;

function paint(sentences, values) {
  sentences.forEach((sentence, i) => {
    sentence.classList.remove("level-0", "level-1", "level-2");
    if (values) sentence.classList.add(`level-${values[i]}`);
  });
}

function paintAll() {
  for (const letter of ["a", "b"]) {
    paint([...document.querySelectorAll(`#summary-${letter} .sentence`)], levels && levels[letter]);
  }
  paint([...source.querySelectorAll(".sentence")], levels && levels.source);
  clearButton.hidden = !levels;
  for (const button of document.querySelectorAll(".reference .sentence")) {
    button.setAttribute("aria-pressed", String(Boolean(levels) && button.value === query.value));
  }
}

async function highlight(text) {
  query.value = text;
  const turn = ++asked;
  if (!text.trim()) {
    levels = null;
    found.textContent = "";
    paintAll();
    return;
  }
  try {
    const answer = await fetch(`${ballot.dataset.relevant}?query=${encodeURIComponent(text.slice(0, 2000))}`);
    if (!answer.ok) throw new Error(answer.status);
    const values = await answer.json();
    if (turn !== asked) return;
    levels = values;
    const count = (list) => list.filter((level) => level > 0).length;
    found.textContent = `${count(levels.a)} in A, ${count(levels.b)} in B, ${count(levels.source)} in the source`;
    paintAll();
  } catch {
    found.textContent = "Cannot reach the study just now.";
  }
}

queryForm.addEventListener("submit", (event) => {
  event.preventDefault();
  const sentence = event.submitter && event.submitter.name === "query" ? event.submitter.value : null;
  highlight(sentence !== null && sentence === query.value && levels ? "" : sentence ?? query.value);
});
clearButton.addEventListener("click", () => highlight(""));
if (query.value) highlight(query.value);

// The source document

async function toggleSource() {
  const opens = source.hidden;
  if (opens && !source.querySelector(".sentence")) {
    try {
      const answer = await fetch(sourceButton.dataset.address);
      if (!answer.ok) throw new Error(answer.status);
      source.innerHTML = await answer.text();
    } catch {
      found.textContent = "Cannot reach the study just now.";
      return;
    }
    paintAll();
  }
  source.hidden = !opens;
  sourceButton.setAttribute("aria-expanded", String(opens));
  sourceButton.textContent = `${opens ? "Hide" : "Show"} source document`;
}

sourceButton.addEventListener("click", (event) => {
  event.preventDefault();
  toggleSource();
});
sourceButton.addEventListener("keydown", (event) => {
  if (event.key === " ") {
    event.preventDefault();
    toggleSource();
  }
});

// Choices

const chosen = (fieldset) => fieldset.querySelector("input:checked");
const answered = [];

function showCurrent() {
  const current = fieldsets.find((fieldset) => !chosen(fieldset));
  for (const fieldset of fieldsets) fieldset.classList.toggle("current", fieldset === current);
}

function answer(value) {
  const current = fieldsets.find((fieldset) => !chosen(fieldset));
  const radio = current && current.querySelector(`input[value="${value}"]`);
  if (!radio) return;
  radio.checked = true;
  radio.focus({ preventScroll: true });  // so that Enter submits, whatever was clicked before
  answered.push(current);
  showCurrent();
}

function takeBack() {
  const last = answered.pop() ?? fieldsets.filter(chosen).at(-1);
  if (last && chosen(last)) chosen(last).checked = false;
  showCurrent();
}

ballot.addEventListener("change", (event) => {
  const fieldset = event.target.closest("fieldset");
  if (fieldset) answered.push(fieldset);
  showCurrent();
});
showCurrent();

// Sending: once, with the time during which the page was looked at

const active = document.getElementById("active");
let seen = 0;
let since = document.visibilityState === "visible" ? performance.now() : null;

function count() {
  if (since !== null) seen += performance.now() - since;
  since = document.visibilityState === "visible" ? performance.now() : null;
}

let sending = false;

function setSending(value) {
  sending = value;
  ballot.ariaBusy = String(value);
}

document.addEventListener("visibilitychange", count);
ballot.addEventListener("submit", (event) => {
  if (sending) {
    event.preventDefault();
    return;
  }
  count();
  active.value = (seen / 1000).toFixed(1);
  setSending(true);
});
window.addEventListener("pageshow", () => setSending(false));

// Keys

useKeys.checked = localStorage.getItem("keys") !== "off";
useKeys.addEventListener("change", () => localStorage.setItem("keys", useKeys.checked ? "on" : "off"));

const press = (id) => document.getElementById(id)?.click();

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  const writes = event.target.matches("textarea, input:not([type=radio], [type=checkbox])");
  if (event.key === "Escape") {
    highlight("");
    event.target.blur();
  }
  if (writes || !useKeys.checked || event.repeat || sending) return;  // keys meant for the next pair change nothing here
  const key = event.key.toLowerCase();
  if (key === "enter") {
    if (event.target.matches("a, button, summary")) return;
    event.preventDefault();
    press("submit");
  } else if (key in KEYS) answer(KEYS[key]);
  else if (key === "u") takeBack();
  else if (key === "s") press("skip");
  else if (key === "p") press("back");
  else if (key === "d") toggleSource();
  else if (key === "/") {
    event.preventDefault();
    query.select();
  }
});
