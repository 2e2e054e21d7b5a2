// The page: sends a document once, then shows its summary at any length without asking the server again.
import { show, mapMarks } from "./view.js";

const MOST = 30;
const $ = (id) => document.getElementById(id);

const state = { file: null, reading: null, taken: [], here: -1 };

// --- asking -------------------------------------------------------------------------------------------------------

async function request(path, options = {}) {
  const token = sessionStorage.getItem("token");
  const headers = { ...options.headers, ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch {
    throw new Error("The server cannot be reached.");
  }
  if (response.ok) return response;
  if (response.status === 401) {
    $("key").hidden = false;
    $("token").focus();
  }
  const { error, hint } = await response.json().catch(() => ({ error: `The server answered ${response.status}.` }));
  throw new Error(hint ? `${error} ${hint}` : error);
}

function complain(message) {
  $("problem").textContent = message;
  $("problem").hidden = !message;
}

async function read() {
  const text = $("text").value;
  if (!state.file && !text.trim()) return complain("Paste a text or choose a file first.");
  const options = { method: "POST" };
  if (state.file) {
    options.body = new FormData();
    options.body.append("file", state.file, state.file.name);
  } else {
    options.body = JSON.stringify({ text });
    options.headers = { "Content-Type": "application/json" };
  }
  complain("");
  $("busy").hidden = false;
  $("go").disabled = true;
  try {
    open(await (await request("v1/readings", options)).json());
  } catch (error) {
    complain(error.message);
  } finally {
    $("busy").hidden = true;
    $("go").disabled = false;
  }
}

// Ask for the rest of the order once, behind the reader's back: what they look at changes only if they want more of it.
async function extend(reading) {
  const known = reading.extractions.length;
  $("result").ariaBusy = "true";
  try {
    if (!reading.complete && known < MOST) {
      Object.assign(reading, await (await request(`v1/readings/${reading.id}?extractions=${MOST}`)).json());
    }
    if (reading === state.reading && Number($("length").value) > known) update();
  } catch (error) {
    if (reading === state.reading) say(error.message);
  } finally {
    if (reading === state.reading) $("result").ariaBusy = "false";
  }
}

// --- showing ------------------------------------------------------------------------------------------------------

function open(reading) {
  state.reading = reading;
  state.here = -1;
  $("ask").hidden = $("key").hidden = true;
  $("result").hidden = false;
  document.title = `${reading.title ?? "Summary"} – memsum`;
  $("length").max = Math.min(MOST, reading.document.sentences);
  $("length").value = reading.own;
  $("policy").textContent = `Suggested: ${reading.own}`;
  document.querySelector("[data-format=pdf]").hidden = reading.format !== "pdf";
  $("warnings").replaceChildren(...reading.warnings.map((warning) => element("p", { className: "warning" }, warning)));
  show($("document"), reading.parts);
  update();
  window.scrollTo(0, 0);
  $("length").focus({ preventScroll: true });
  extend(reading);
}

function update() {
  const { reading } = state;
  const wanted = Number($("length").value);
  const steps = new Map(reading.extractions.slice(0, wanted).map(({ index }, step) => [index, step + 1]));
  const taken = [...steps.keys()];
  if ($("order").value === "document") taken.sort((a, b) => a - b);
  state.taken = taken;
  const words = taken.reduce((sum, index) => sum + reading.sentences[index].words, 0);
  $("count").textContent = `${taken.length} of ${reading.document.sentences} sentences, ${words} words`;
  $("length").setAttribute("aria-valuetext", `${wanted} sentences`);
  mark(steps);
  $("list").replaceChildren(...taken.map((index) => item(index, steps.get(index))));
  mapMarks($("map"), $("document"), taken);
  if (steps.has(state.here)) go(state.here, null);
}

function mark(steps) {
  for (const old of $("document").querySelectorAll("mark")) {
    const span = element("span", { id: old.id });
    span.dataset.sentence = old.dataset.sentence;
    span.append(...words(old));
    old.replaceWith(span);
  }
  for (const [index, step] of steps) {
    pieces(index).forEach((span, place) => {
      const marked = element("mark", { id: span.id });
      marked.dataset.sentence = index;
      if (place === 0) {
        marked.append(element("span", { className: "step", role: "img", ariaLabel: `Sentence ${step} of the summary` }, String(step)));
      }
      marked.append(...span.childNodes);
      span.replaceWith(marked);
    });
  }
}

function item(index, step) {
  const { section, page, speaker } = state.reading.sentences[index];
  const text = pieces(index).map((node) => quote(node)).join(" ");
  const where = [speaker, section, page ? `page ${page}` : null, `sentence ${index + 1}`].filter(Boolean).join(", ");
  const link = element("a", { href: `#s${index}` }, text);
  const line = element("li", { id: `q${index}` }, element("span", { className: "step" }, String(step)), link, element("small", {}, where));
  line.dataset.sentence = index;
  return line;
}

const pieces = (index) => [...$("document").querySelectorAll(`[data-sentence="${index}"]`)];
const words = (node) => [...node.childNodes].filter((child) => child.className !== "step");
const quote = (node) => words(node).map((child) => child.textContent).join("").trim();

// Show a sentence as the present one; `scroll` says where to bring it into view: in the document, or in the list.
function go(index, scroll = "document") {
  state.here = index;
  for (const node of document.querySelectorAll(".here")) node.classList.remove("here");
  const marks = pieces(index);
  const line = $(`q${index}`);
  for (const node of [...marks, line, document.querySelector(`#map [data-sentence="${index}"]`)]) node?.classList.add("here");
  const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
  // On a wide screen the list scrolls on its own, and both can be in view; on a phone only one can.
  const isBeside = getComputedStyle($("list").parentElement).position === "sticky";
  if (scroll === "list" || (scroll && isBeside)) line?.scrollIntoView({ block: isBeside ? "nearest" : "center", behavior: isBeside ? "auto" : behavior });
  if (scroll === "document") marks[0]?.scrollIntoView({ block: "center", behavior });
}

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// --- taking along -------------------------------------------------------------------------------------------------

function say(message) {
  $("said").textContent = message;
}

async function copy() {
  const text = state.taken.map((index) => pieces(index).map((node) => quote(node)).join(" ")).join("\n");
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without https the clipboard is closed to pages; the old way still works.
    const area = element("textarea", { value: text, className: "sr" });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say("Copied.");
}

async function download(format) {
  $("downloads").open = false;
  say("");
  const query = new URLSearchParams({ format, sentences: $("length").value, order: $("order").value });
  if (format === "html") query.set("explain", "true");
  try {
    const response = await request(`v1/readings/${state.reading.id}/summary?${query}`);
    const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "summary";
    const url = URL.createObjectURL(await response.blob());
    const link = element("a", { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
    say(`Saved ${name}.`);
  } catch (error) {
    say(error.message);
  }
}

// --- listening ----------------------------------------------------------------------------------------------------

function choose(file) {
  state.file = file;
  $("chosen").textContent = file ? file.name : "";
  if (file) read();
}

function restart() {
  if (state.reading) request(`v1/readings/${state.reading.id}`, { method: "DELETE" }).catch(() => {});
  state.reading = state.file = null;
  $("file").value = $("text").value = $("chosen").textContent = "";
  $("result").hidden = true;
  $("ask").hidden = false;
  document.title = "memsum";
  say("");
  $("text").focus();
}

function step(by) {
  const order = state.taken;
  const at = order.indexOf(state.here);
  go(order[at < 0 ? (by > 0 ? 0 : order.length - 1) : (at + by + order.length) % order.length]);
}

function resize(by) {
  $("length").value = Number($("length").value) + by;
  update();
}

$("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  state.file = $("text").value.trim() ? null : state.file;
  read();
});
$("file").addEventListener("change", () => choose($("file").files[0] ?? null));
$("sample").addEventListener("click", async () => {
  $("text").value = await (await request("static/sample.md")).text();
  state.file = null;
  read();
});
$("key").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", $("token").value);
  $("key").hidden = true;
  complain("");
  read();
});
$("length").addEventListener("input", update);
$("order").addEventListener("change", update);
$("policy").addEventListener("click", () => {
  $("length").value = state.reading.own;
  update();
});
$("copy").addEventListener("click", copy);
$("again").addEventListener("click", restart);
$("up").addEventListener("click", (event) => {
  event.preventDefault();
  if (state.taken.includes(state.here)) go(state.here, "list");
  else window.scrollTo({ top: 0 });
});
document.addEventListener("click", (event) => {
  if (!$("downloads").contains(event.target)) $("downloads").open = false;
});
$("downloads").addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  $("downloads").open = false;
  $("downloads").firstElementChild.focus();
});
for (const button of document.querySelectorAll("[data-format]")) button.addEventListener("click", () => download(button.dataset.format));

for (const id of ["list", "document", "map"]) {
  $(id).addEventListener("click", (event) => {
    const node = event.target.closest("li, mark, rect[data-sentence]");
    if (!node?.dataset.sentence) return;
    event.preventDefault();
    go(Number(node.dataset.sentence), id === "document" ? "list" : "document");
  });
}
document.addEventListener("keydown", (event) => {
  if (!state.reading || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("textarea, select, input:not([type=range])")) return;
  const act = { j: () => step(1), k: () => step(-1), "+": () => resize(1), "-": () => resize(-1), c: copy }[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});
window.addEventListener("resize", () => state.reading && mapMarks($("map"), $("document"), state.taken));
window.addEventListener("dragover", (event) => {
  event.preventDefault();
  $("veil").hidden = false;
});
window.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) $("veil").hidden = true;
});
window.addEventListener("drop", (event) => {
  event.preventDefault();
  $("veil").hidden = true;
  const file = event.dataTransfer.files[0];
  if (file) {
    if (state.reading) restart();
    choose(file);
  }
});
