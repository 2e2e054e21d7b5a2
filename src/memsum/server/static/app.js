// The page: sends documents once, then shows summaries of them at any length without asking the server again.
import { copy, download, read, request } from "./api.js";
import { element, legend, list, pick } from "./quotes.js";
import { mapMarks, mark, quote, show } from "./view.js";

const MOST = 30; // sentences of a summary
const PAUSE = 120; // milliseconds after which a question that is being typed is asked
const $ = (id) => document.getElementById(id);
const OPTIONS = ["order", "even", "colours", "context"];

const state = { files: [], reading: null, orders: new Map(), order: null, about: "", taken: [], here: -1, asked: 0 };

// --- asking -------------------------------------------------------------------------------------------------------

function complain(message) {
  $("problem").textContent = message;
  $("problem").hidden = !message;
}

// Do something that may fail; a server that wants a token is asked again with one.
async function attempt(action) {
  complain("");
  $("busy").hidden = false;
  $("go").disabled = true;
  try {
    await action();
  } catch (error) {
    complain(error.message);
    if (error.status === 401) {
      $("key").hidden = false;
      $("token").focus();
      state.again = action;
    }
  } finally {
    $("busy").hidden = true;
    $("go").disabled = false;
  }
}

function send() {
  const text = $("text").value;
  if (!state.files.length && !text.trim()) return complain("Paste a text or choose a file first.");
  return attempt(async () => open(await read(state.files, text)));
}

// After a reload: the document that was shown, as it was shown, if the server still has it.
async function resume() {
  const view = JSON.parse(sessionStorage.getItem("view") ?? "null");
  if (!view) return;
  await attempt(async () => {
    try {
      open(await (await request(`v1/readings/${view.id}/document`)).json(), view);
    } catch (error) {
      if (error.status === 404) sessionStorage.removeItem("view");
      throw error;
    }
  });
}

// --- orders of extraction -----------------------------------------------------------------------------------------

const bySection = () => $("order").value === "section";
const isEven = () => $("even").checked && !bySection();

function query() {
  const parameters = new URLSearchParams();
  if (state.about) parameters.set("about", state.about);
  if (bySection()) parameters.set("by", "section");
  if (isEven()) parameters.set("spread", "true");
  return parameters;
}

// Ask for what the present view needs, once, behind the reader's back; then show it.
async function complete() {
  const { reading } = state;
  const key = String(query());
  const asked = ++state.asked;
  if (!state.orders.has(key)) {
    $("result").ariaBusy = "true";
    try {
      const order = await (await request(`v1/readings/${reading.id}?extractions=${MOST}&${key}`)).json();
      if (reading === state.reading) state.orders.set(key, order);
    } catch (error) {
      if (reading === state.reading && asked === state.asked) note(error.message);
    }
  }
  if (reading !== state.reading || asked !== state.asked) return;
  if (state.orders.has(key)) answer(state.orders.get(key));
  $("result").ariaBusy = "false";
}

function note(message) {
  $("answer").hidden = !message;
  $("answer").textContent = message;
}

// Show an order that has come: of a question, of sections, or longer than what was known.
function answer(order) {
  state.order = order;
  state.own = order.chosen.length;
  $("suggested").textContent = `Suggested: ${state.own}`;
  $("suggested").hidden = !state.own;
  if (state.isOwn && state.own) $("length").value = state.own;
  note(order.extractions.length ? "" : "No relevant sentence found.");
  update();
}

let typing;
function question(pause = PAUSE) {
  clearTimeout(typing);
  typing = setTimeout(() => {
    const about = $("about").value.trim();
    if (about === state.about) return;
    state.about = about;
    complete();
  }, pause);
}

// --- showing ------------------------------------------------------------------------------------------------------

function open(reading, view = {}) {
  state.reading = reading;
  state.here = -1;
  state.own = reading.own;
  state.isOwn = view.length === undefined;
  state.about = "";
  state.orders = new Map();
  state.order = reading;
  $("ask").hidden = $("key").hidden = true;
  $("result").hidden = false;
  document.title = `${reading.title ?? "Summary"} – memsum`;
  $("length").max = Math.min(MOST, reading.document.sentences);
  $("length").value = view.length ?? reading.own;
  $("about").value = view.about ?? "";
  for (const id of OPTIONS) if (view[id] !== undefined) $(id)[$(id).type === "checkbox" ? "checked" : "value"] = view[id];
  $("suggested").textContent = `Suggested: ${reading.own}`;
  note("");
  const hasKinds = reading.sentences.some(({ kind }) => kind);
  $("colours").parentElement.hidden = !hasKinds;
  document.querySelector("[data-format=pdf]").hidden = reading.format !== "pdf";
  $("warnings").replaceChildren(...reading.warnings.map((warning) => element("p", { className: "warning" }, warning)));
  keywords(reading.keywords);
  show($("document"), reading.parts);
  update();
  window.scrollTo(0, 0);
  $("length").focus({ preventScroll: true });
  state.about = $("about").value.trim();
  complete();
}

function keywords(terms) {
  $("terms").hidden = !terms.length;
  $("terms").querySelector("p").replaceChildren(
    ...terms.map(({ text, count }) => {
      const chip = element("button", { type: "button", title: `${count} times; show relevant sentences` }, text, element("span", {}, ` ${count}`));
      chip.addEventListener("click", () => {
        $("about").value = text;
        question(0);
      });
      return chip;
    }),
  );
}

function update() {
  const { reading } = state;
  const wanted = Number($("length").value);
  const quotes = pick(state.order, wanted, state.isOwn);
  const order = $("order").value;
  if (order !== "extraction") quotes.sort((a, b) => a.index - b.index);
  state.taken = quotes.map(({ index }) => index);
  const words = state.taken.reduce((sum, index) => sum + reading.sentences[index].words, 0);
  $("count").textContent = `${quotes.length} of ${reading.document.sentences} sentences, ${words} words`;
  $("length").setAttribute("aria-valuetext", `${wanted} sentences`);
  $("even").disabled = bySection();
  const withKinds = $("colours").checked && !$("colours").parentElement.hidden;
  $("result").classList.toggle("coloured", withKinds);
  $("legend").hidden = !withKinds;
  if (withKinds) $("legend").replaceChildren(...legend(quotes, reading));
  mark($("document"), quotes, reading.sentences);
  const say = (index) => quote($("document"), index);
  const folded = new Set([...$("list").querySelectorAll("details:not([open]) summary")].map((node) => node.firstChild.textContent));
  $("list").replaceChildren(...list(quotes, reading, { bySection: bySection(), withContext: $("context").checked, withKinds }, say));
  for (const node of $("list").querySelectorAll("summary")) if (folded.has(node.firstChild.textContent)) node.parentElement.open = false;
  mapMarks($("map"), $("document"), state.taken);
  if (state.taken.includes(state.here)) go(state.here, null);
  remember();
}

function remember() {
  const view = { id: state.reading.id, about: state.about };
  if (!state.isOwn) view.length = Number($("length").value);
  for (const id of OPTIONS) view[id] = $(id).type === "checkbox" ? $(id).checked : $(id).value;
  sessionStorage.setItem("view", JSON.stringify(view));
}

// Show a sentence as the present one; `scroll` says where to bring it into view: in the document, or in the list.
function go(index, scroll = "document") {
  state.here = index;
  for (const node of document.querySelectorAll(".here")) node.classList.remove("here");
  const marks = [...$("document").querySelectorAll(`[data-sentence="${index}"]`)];
  const line = $(`q${index}`);
  for (const node of [...marks, line, document.querySelector(`#map [data-sentence="${index}"]`)]) node?.classList.add("here");
  const fold = line?.closest("details");
  if (fold && scroll) fold.open = true;
  const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
  // On a wide screen the list scrolls on its own, and both can be in view; on a phone only one can.
  const isBeside = getComputedStyle($("list").parentElement).position === "sticky";
  if (scroll === "list" || (scroll && isBeside)) line?.scrollIntoView({ block: isBeside ? "nearest" : "center", behavior: isBeside ? "auto" : behavior });
  if (scroll === "document") marks[0]?.scrollIntoView({ block: "center", behavior });
}

// --- taking along -------------------------------------------------------------------------------------------------

function said(message) {
  $("said").textContent = message;
}

async function copyQuotes() {
  await copy(state.taken.map((index) => quote($("document"), index)).join("\n"));
  said("Copied.");
}

async function save(format) {
  $("downloads").open = false;
  said("");
  const parameters = new URLSearchParams({ format, order: $("order").value === "extraction" ? "extraction" : "document" });
  const wanted = Number($("length").value);
  if (!state.isOwn) parameters.set("sentences", wanted);
  for (const [name, value] of query()) parameters.set(name, value);
  parameters.set("context", $("context").checked);
  if (format === "html") parameters.set("explain", "true");
  try {
    said(`Saved ${await download(`v1/readings/${state.reading.id}/summary?${parameters}`)}.`);
  } catch (error) {
    said(error.message);
  }
}

// --- listening ----------------------------------------------------------------------------------------------------

function choose(files) {
  state.files = [...files];
  $("chosen").textContent = state.files.map((file) => file.name).join(", ");
  if (state.files.length) send();
}

function restart() {
  if (state.reading) request(`v1/readings/${state.reading.id}`, { method: "DELETE" }).catch(() => {});
  sessionStorage.removeItem("view");
  state.reading = null;
  state.files = [];
  clearTimeout(typing);
  $("file").value = $("text").value = $("about").value = $("chosen").textContent = "";
  $("result").hidden = true;
  $("ask").hidden = false;
  document.title = "memsum";
  said("");
  $("text").focus();
}

function step(by) {
  const order = state.taken;
  const at = order.indexOf(state.here);
  if (order.length) go(order[at < 0 ? (by > 0 ? 0 : order.length - 1) : (at + by + order.length) % order.length]);
}

function slide() {
  state.isOwn = false;
  update();
}

function resize(by) {
  $("length").value = Number($("length").value) + by;
  slide();
}

$("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  state.files = $("text").value.trim() ? [] : state.files;
  send();
});
$("file").addEventListener("change", () => choose($("file").files));
$("sample").addEventListener("click", async () => {
  $("text").value = await (await request("static/sample.md")).text();
  state.files = [];
  send();
});
$("key").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", $("token").value);
  $("key").hidden = true;
  attempt(state.again);
});
$("about").addEventListener("input", () => question());
$("about").addEventListener("keydown", (event) => {
  if (event.key === "Enter") question(0);
  if (event.key === "Escape") {
    $("about").value = "";
    question(0);
  }
});
$("length").addEventListener("input", slide);
for (const id of OPTIONS) {
  $(id).addEventListener("change", () => {
    update();
    complete();
  });
}
$("suggested").addEventListener("click", () => {
  $("length").value = state.own;
  state.isOwn = true;
  update();
});
$("copy").addEventListener("click", copyQuotes);
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
for (const button of document.querySelectorAll("[data-format]")) button.addEventListener("click", () => save(button.dataset.format));

for (const id of ["list", "document", "map"]) {
  $(id).addEventListener("click", (event) => {
    const node = event.target.closest("li, mark, rect[data-sentence]");
    if (!node?.dataset.sentence) return;
    event.preventDefault();
    go(Number(node.dataset.sentence), id === "document" ? "list" : "document");
  });
}
document.addEventListener("keydown", (event) => {
  if (!state.reading || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("textarea, select, input:not([type=range], [type=checkbox])")) return;
  const act = { j: () => step(1), k: () => step(-1), "+": () => resize(1), "-": () => resize(-1), c: copyQuotes, "/": () => $("about").focus() }[event.key];
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
  const { files } = event.dataTransfer;
  if (files.length) {
    if (state.reading) restart();
    choose(files);
  }
});
resume();
