// The page: a document is sent once; then its summaries are shown at any length without asking the server again.
import { copy, download, request } from "./api.js";
import { check, forget } from "./check.js";
import { $, element, isNarrow, motion, plural, toggle } from "./dom.js";
import { find } from "./find.js";
import { attempt, complain, listen, showEarlier } from "./input.js";
import { PagesView, ZOOMS } from "./pages.js";
import { citation, groupName, legend, list, pick } from "./quotes.js";
import * as session from "./session.js";
import { drawStrip, drawWindow, goToShare } from "./strip.js";
import { TextView } from "./text.js";

const MOST = 30; // sentences of a summary, or half as many more as the model suggests
const MOST_EXTRACTIONS = 200; // that the server gives at once
const PAUSE = 120; // milliseconds after which a question that is being typed is asked
const REST = 1000; // milliseconds after which it is taken for the whole question, which may have no answer
const SOON = 30; // milliseconds
const SHOWN = 5000; // milliseconds that a message stays
const LONG = 100; // minutes of reading
const SPEED = 238; // words that a person reads in a minute (Brysbaert 2019)
const MOST_AUTHORS = 8; // that are named
const MOST_NAMED = 4; // files in a title
const TRIES = {
  question: ({ textContent }) => ask(textContent),
  check: () => {
    toggle($("checker"), true);
    $("cited").value = QUOTES;
    $("check").requestSubmit();
  },
};
const QUOTES = "“A false alarm costs 85 euros”, “the library is open every day from 8 a.m. to 10 p.m.”, “Dogs are welcome”";
const OPTIONS = ["order", "even", "roles", "context"];
const TABS = { pages: "pages", text: "document", abstract: "abstract" }; // and their panels

const views = { pages: new PagesView($("pages")), text: new TextView($("document")), abstract: { node: $("abstract") } };
const state = { reading: null };

// --- opening ------------------------------------------------------------------------------------------------------

// Take a document that was read now: it gets an address of its own, so that "back" leads to what was before.
function arrive(reading) {
  history.pushState(null, "", session.addressOf(reading.id));
  open(reading);
}

// Show what the address names: a document, if the server still has it, or the form.
async function route() {
  const id = session.addressed();
  if (state.reading && id === state.reading.id) return;
  showForm();
  if (id === null) return;
  await attempt(async (signal) => {
    try {
      open(await (await request(`v1/readings/${encodeURIComponent(id)}/document`, { signal })).json());
    } catch (error) {
      if (error.status === 404) {
        session.forget(id);
        showEarlier();
      }
      throw error;
    }
  });
}

function showForm() {
  state.reading = null;
  clearTimeout(typing);
  $("result").hidden = $("again").hidden = true;
  $("ask").hidden = false;
  document.title = "memsum";
  complain("");
  showEarlier();
}

function open(reading) {
  const view = session.viewOf(reading.id);
  Object.assign(state, {
    reading,
    texts: textsOf(reading),
    here: -1,
    quotes: null,
    taken: [],
    lengths: view.lengths ?? {}, // that the reader chose: of the summary, and of each question
    about: view.about ?? "",
    asked: view.asked ?? [],
    only: null,
    orders: new Map(),
    order: null,
    typed: 0, // when a question was typed last
    request: 0,
    hits: [],
    hit: -1,
  });
  $("ask").hidden = $("key").hidden = true;
  $("result").hidden = $("again").hidden = false;
  const title = reading.title ?? nameOf(reading.documents);
  session.remember(reading.id, title);
  document.title = `${title} – memsum`;
  $("title").textContent = title;
  const { authors, facts } = reading.documents.length > 1 ? { authors: [], facts: [] } : reading.documents[0];
  const named = authors.length > MOST_AUTHORS ? `${authors.slice(0, MOST_AUTHORS).join(", ")} and ${plural(authors.length - MOST_AUTHORS, "other")}` : authors.join(", ");
  $("authors").textContent = [named, ...facts].filter(Boolean).join(" · ");
  state.most = Math.min(Math.max(MOST, Math.round(1.5 * reading.own)), MOST_EXTRACTIONS, reading.document.sentences);
  $("length").max = state.most;
  $("about").value = state.about;
  $("find").value = $("hits").textContent = "";
  for (const id of OPTIONS) if (view[id] !== undefined) $(id)[$(id).type === "checkbox" ? "checked" : "value"] = view[id];
  $("roles").parentElement.hidden = !reading.sentences.some(({ kind }) => kind);
  document.querySelector("[data-format=pdf]").hidden = reading.format !== "pdf";
  said("");
  forget();
  suggest(reading);
  toggle($("changer"), false);
  $("result").ariaBusy = "true";
  showDocument(reading, view.tab).then(() => reading === state.reading && complete());
  answer(reading, "");
  window.scrollTo({ top: 0, behavior: "instant" });
  $("shown").parentElement.scrollTop = 0;
  $("title").focus({ preventScroll: true });
}

function nameOf(documents) {
  if (documents.length > MOST_NAMED) return `${documents[0].name} and ${plural(documents.length - 1, "other file")}`;
  return documents.map(({ name }) => (name === "summary" ? "Pasted text" : name)).join(", ");
}

// What each sentence says: a row of a table all of its cells, also those that hold sentences themselves.
function textsOf({ parts, sentences }) {
  const texts = new Map();
  for (const { pieces } of parts) {
    const whole = pieces.map(({ text }) => text).join("").trim();
    for (const { text, sentence } of pieces) {
      if (sentence === undefined || sentence === null) continue;
      const isRow = sentences[sentence].beside === "table";
      texts.set(sentence, isRow ? whole : texts.has(sentence) ? `${texts.get(sentence)} ${text.trim()}` : text.trim());
    }
  }
  return texts;
}

// --- the document -------------------------------------------------------------------------------------------------

function showDocument(reading, tab) {
  const isPdf = ({ format }) => format === "pdf";
  const hasPages = reading.documents.some(isPdf);
  const abstract = reading.parts.filter(({ kind }) => kind === "abstract");
  $("tab-pages").hidden = $("zoom").hidden = !hasPages;
  $("tab-abstract").hidden = !abstract.length;
  $("tabs").hidden = !hasPages && !abstract.length;
  $("abstract").replaceChildren(...abstract.map(({ pieces }) => element("p", {}, ...pieces.map(({ text }) => text))));
  views.text.nodes = views.pages.pages = null;
  return turn(tab && !$(`tab-${tab}`).hidden ? tab : reading.documents.every(isPdf) && !isNarrow() ? "pages" : "text");
}

// Turn to a view of the document; it is built when it is first shown.
async function turn(tab) {
  const { reading } = state;
  state.tab = tab;
  for (const [name, panel] of Object.entries(TABS)) {
    $(panel).hidden = name !== tab;
    $(`tab-${name}`).ariaSelected = String(name === tab);
    $(`tab-${name}`).tabIndex = name === tab ? 0 : -1;
  }
  $("zoom").hidden = tab !== "pages";
  $("finder").hidden = tab === "abstract";
  if (tab === "text" && !views.text.nodes) views.text.show(reading.parts);
  if (tab === "pages" && !views.pages.pages) await layPages(reading);
  if (reading === state.reading && tab === state.tab && state.quotes) showMarks();
}

async function layPages(reading) {
  $("pages").replaceChildren(element("p", { className: "placeholder" }, "Reading …"));
  try {
    const layout = await (await request(`v1/readings/${reading.id}/pages`)).json();
    if (reading !== state.reading) return;
    views.pages.show(reading, layout);
    await new Promise((done) => setTimeout(done, SOON)); // the first page is asked for before anything else
  } catch (error) {
    if (reading === state.reading) $("pages").replaceChildren(element("p", { className: "placeholder" }, error.message));
  }
}

const viewShown = () => {
  const view = views[state.tab];
  return (state.tab === "pages" && !view.pages) || state.tab === "abstract" ? null : view;
};

function showMarks() {
  const { reading, quotes, texts } = state;
  const view = viewShown();
  view?.mark(quotes, reading.sentences, (index) => texts.get(index));
  if (view) drawStrip($("map"), view, quotes, reading.sentences);
  else $("map").replaceChildren();
  if (state.taken.includes(state.here)) go(state.here, null);
}

// Minutes in words, in hours where the whole takes some.
function duration(minutes, whole) {
  if (whole < LONG) return minutes === whole ? plural(minutes, "minute") : String(minutes);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function showFacts() {
  const { reading, taken } = state;
  const words = taken.reduce((sum, index) => sum + reading.sentences[index].words, 0);
  const [all, own] = [reading.document.words, words].map((count) => Math.round(count / SPEED));
  const saved = all - Math.max(own, 1);
  const pages = reading.documents.reduce((sum, document) => sum + document.pages, 0);
  const facts = [
    reading.documents.length > 1 ? plural(reading.documents.length, "document") : null,
    pages ? plural(pages, "page") : null,
    plural(reading.document.words, "word"),
    saved > 0 && taken.length ? `saves ${duration(saved, all)} of ${duration(all, all)} of reading` : null,
  ];
  $("facts").textContent = facts.filter(Boolean).join(" · ");
}

// --- orders of extraction -----------------------------------------------------------------------------------------

const bySection = () => $("order").value === "section" && !state.about;

function query() {
  const parameters = new URLSearchParams();
  if (state.about) parameters.set("about", state.about);
  else if (bySection()) parameters.set("by", "section");
  else if ($("even").checked) parameters.set("spread", "true");
  return parameters;
}

// Ask for what the present view needs, once, behind the reader's back; then show it.
async function complete() {
  const { reading } = state;
  const key = String(query());
  const asked = ++state.request;
  const isLate = () => reading !== state.reading || asked !== state.request;
  if (!state.orders.has(key)) {
    $("result").ariaBusy = "true";
    try {
      const order = await (await request(`v1/readings/${reading.id}?extractions=${state.most}&${key}`)).json();
      if (reading === state.reading) state.orders.set(key, order);
    } catch (error) {
      if (!isLate()) {
        warn([error.message]);
        $("missing").hidden = true;
      }
    }
  }
  if (isLate()) return;
  if (state.orders.has(key)) answer(state.orders.get(key));
  $("result").ariaBusy = "false";
}

// Show an order that has come: of a question, of sections, or longer than what was known.
function answer(order, about = state.about) {
  const isFound = order.extractions.length > 0;
  const rests = state.typed + REST - Date.now();
  if (!isFound && rests > 0) {
    typing = setTimeout(complete, rests); // half a question has no answer yet: what is shown stays
    return;
  }
  const isNew = state.order && state.order.about !== about;
  state.order = { ...order, about };
  const own = order.chosen.length;
  $("suggested").textContent = `Suggested: ${own}`;
  $("suggested").hidden = !own;
  $("length").value = state.lengths[about] ?? own;
  $("missing").hidden = isFound;
  $("shown").hidden = !isFound;
  warn(order.warnings ?? []);
  update();
  if (isNew) $("shown").parentElement.scrollTop = 0;
  if (isNew && about && isFound && isBeside()) go(order.extractions[0].index);
}

function warn(warnings) {
  $("warnings").replaceChildren(
    ...warnings.map((warning) => element("details", { className: "warning" }, element("summary", {}, warning))),
  );
}

// --- questions ----------------------------------------------------------------------------------------------------

let typing;
function question(pause = PAUSE) {
  clearTimeout(typing);
  state.typed = pause ? Date.now() : 0;
  typing = setTimeout(() => {
    const about = $("about").value.trim();
    if (about === state.order.about && about === state.about) return;
    state.about = about;
    state.only = null;
    complete();
  }, pause);
}

function ask(about) {
  $("about").value = about;
  keep();
  question(0);
}

// Keep a question in the list of those that were asked.
function keep() {
  const about = $("about").value.trim();
  if (about && !state.asked.includes(about)) state.asked.push(about);
  showAsked();
}

function showAsked() {
  $("asked").hidden = !state.asked.length;
  $("question").classList.toggle("used", state.asked.length > 0);
  const chips = state.asked.map((about) => {
    const chip = element("button", { type: "button", className: "chip", ariaPressed: String(about === state.about) }, about);
    chip.addEventListener("click", () => ask(about));
    const remove = element("button", { type: "button", className: "chip", ariaLabel: `Remove the question ${about}` }, "×");
    remove.addEventListener("click", () => {
      state.asked = state.asked.filter((one) => one !== about);
      if (about === state.about) ask("");
      else showAsked();
      remember();
    });
    return element("span", { className: "pair" }, chip, remove);
  });
  const all = element("button", { type: "button", className: "chip", ariaPressed: String(!state.about) }, "Summary");
  all.addEventListener("click", () => ask(""));
  $("asked").replaceChildren(all, ...chips);
}

// Suggest questions that the document answers; the server finds them when everything else is there.
async function suggest({ id }) {
  $("terms").replaceChildren();
  $("terms").hidden = false;
  let found = [];
  try {
    found = (await (await request(`v1/readings/${id}/questions`)).json()).questions;
  } catch {
    // One can ask without suggestions.
  }
  if (id !== state.reading?.id) return;
  $("terms").hidden = !found.length;
  const chips = found.map((text) => element("button", { type: "button", className: "chip" }, text));
  for (const chip of chips) chip.addEventListener("click", () => ask(chip.textContent));
  $("terms").replaceChildren(...chips);
}

// --- quotes -------------------------------------------------------------------------------------------------------

function update() {
  const { reading, texts, only } = state;
  const { about } = state.order;
  const wanted = Number($("length").value);
  const all = pick(state.order, wanted);
  if (!about && $("order").value !== "extraction") all.sort((a, b) => a.index - b.index);
  const quotes = only === null ? all : all.filter(({ index }) => groupName(reading, reading.sentences[index]) === only);
  state.quotes = quotes;
  state.taken = quotes.map(({ index }) => index);
  const words = all.reduce((sum, { index }) => sum + reading.sentences[index].words, 0);
  $("count").textContent = `${all.length} of ${reading.document.sentences}`;
  $("size").textContent = `${all.length} of ${plural(reading.document.sentences, "sentence")}, ${plural(words, "word")}.`;
  $("length").setAttribute("aria-valuetext", plural(wanted, "sentence"));
  $("summary-heading").textContent = about ? "Answers, the best first" : "Summary";
  $("numbers").textContent = numbering(about);
  $("even").disabled = bySection();
  $("order").parentElement.hidden = $("even").parentElement.hidden = Boolean(about); // answers come best first
  const withRoles = $("roles").checked && !$("roles").parentElement.hidden;
  $("result").classList.toggle("colored", withRoles);
  $("legend").hidden = !withRoles;
  if (withRoles) $("legend").replaceChildren(...legend(quotes, reading));
  $("only").hidden = only === null;
  $("only").querySelector("strong").textContent = only ?? "";
  showList(list(quotes, reading, texts, { bySection: bySection(), withContext: $("context").checked, withRoles }));
  showContents(all);
  showFacts();
  showAsked();
  showMarks();
  remember();
}

function numbering(about) {
  if (about) return "1 is the best answer.";
  const isPlain = !bySection() && !$("even").checked && state.reading.documents.length === 1;
  return isPlain ? "The numbers say in which order the sentences were chosen: 1 says the most." : "The numbers say in which order the sentences were chosen.";
}

// Replace the list; sections that were folded stay so.
function showList(nodes) {
  const name = (summary) => summary.firstChild.textContent;
  const folded = new Set([...$("list").querySelectorAll("details:not([open]) summary")].map(name));
  $("list").replaceChildren(...nodes);
  for (const summary of $("list").querySelectorAll("summary")) if (folded.has(name(summary))) summary.parentElement.open = false;
}

// The parts of the document, with how many quotes each has; one can be looked at alone.
function showContents(quotes) {
  const { reading, only } = state;
  const first = new Map();
  reading.sentences.forEach((sentence, index) => {
    const name = groupName(reading, sentence);
    if (!sentence.beside && !first.has(name)) first.set(name, index);
  });
  $("contents").hidden = first.size < 2;
  $("contents").querySelector("ul").replaceChildren(
    ...[...first].map(([name, index]) => {
      const count = quotes.filter((quote) => groupName(reading, reading.sentences[quote.index]) === name).length;
      const button = element("button", { type: "button", ariaPressed: String(name === only) }, name, element("span", { className: "facts" }, ` ${count || ""}`));
      button.addEventListener("click", () => {
        state.only = name === only ? null : name;
        $("contents").open = false;
        update();
        viewShown()?.reveal(index);
      });
      return element("li", {}, button);
    }),
  );
}

function remember() {
  const { reading, about, asked, tab, lengths } = state;
  const view = { about, asked, tab, lengths };
  for (const id of OPTIONS) view[id] = $(id).type === "checkbox" ? $(id).checked : $(id).value;
  session.saveView(reading.id, view);
}

// On a wide screen the list scrolls on its own, and both can be in view; on a phone only one can.
const isBeside = () => getComputedStyle($("shown").parentElement).position === "sticky";

// Show a sentence as the present one; `scroll` says where to bring it into view: in the document, or in the list.
function go(index, scroll = "document") {
  state.here = index;
  for (const node of document.querySelectorAll(".here")) node.classList.remove("here");
  const line = $(`q${index}`);
  if (scroll === "document") turnTo(index);
  const view = viewShown();
  for (const node of [...(view?.marksOf(index) ?? []), line, document.querySelector(`#map [data-sentence="${index}"]`)]) node?.classList.add("here");
  const fold = line?.closest("details");
  if (fold && scroll) fold.open = true;
  if (scroll === "list" || (scroll && isBeside())) line?.scrollIntoView({ block: isBeside() ? "nearest" : "center", behavior: isBeside() ? "auto" : motion(line.getBoundingClientRect().top) });
  if (scroll === "document") view?.reveal(index);
}

// Turn to a view that has a sentence: of several documents, some may have no pages.
function turnTo(index) {
  if (viewShown()?.has(index)) return;
  turn(state.tab === "abstract" && views.pages.pages && views.pages.has(index) ? "pages" : "text");
}

function step(by) {
  const order = state.taken;
  const at = order.indexOf(state.here);
  if (order.length) go(order[at < 0 ? (by > 0 ? 0 : order.length - 1) : (at + by + order.length) % order.length]);
}

function resize(by) {
  $("length").value = Number($("length").value) + by;
  slide();
}

function slide() {
  state.lengths[state.order.about] = Number($("length").value);
  update();
}

// --- finding ------------------------------------------------------------------------------------------------------

function search() {
  const view = viewShown();
  state.hits = view ? find(state.reading.parts, $("find").value) : [];
  state.hit = -1;
  view?.forgetHit();
  $("previous").hidden = $("next").hidden = state.hits.length < 2;
  if (state.hits.length) turnHit(1);
  else $("hits").textContent = $("find").value.trim() ? "none" : "";
}

function turnHit(by) {
  if (!state.hits.length) return;
  state.hit = (state.hit + by + state.hits.length) % state.hits.length;
  $("hits").textContent = `${state.hit + 1} of ${state.hits.length}`;
  if (state.tab === "pages") turnTo(state.hits[state.hit].sentence);
  viewShown()?.revealHit(state.hits[state.hit]);
}

// --- checking -----------------------------------------------------------------------------------------------------

// Show where a quote of others stands: on its page, else in the text.
async function reveal({ text, shares, source, sentences = [] }) {
  const { reading } = state;
  if (shares) {
    if (state.tab !== "pages") await turn("pages");
    views.pages.revealBoxes(shares);
    return;
  }
  if (state.tab !== "text") await turn("text");
  const { first } = reading.documents.find(({ name }) => name === source) ?? reading.documents[0];
  const index = sentences.length ? first + sentences[0] : null;
  const hits = find(reading.parts, text.replace(/\s+/g, " "));
  const hit = hits.find(({ sentence }) => sentence === index) ?? hits[0];
  views.text.forgetHit();
  if (hit) views.text.revealHit(hit);
  else if (index !== null) go(index);
}

// --- taking along -------------------------------------------------------------------------------------------------

let silence;
function said(message) {
  clearTimeout(silence);
  $("said").textContent = message;
  silence = setTimeout(said, SHOWN, "");
}

async function take(text, message = "Copied.") {
  await copy(text);
  said(message);
}

const copyQuotes = () => take(state.taken.map((index) => state.texts.get(index)).join("\n"));

async function copyQuote(index, button) {
  await take(citation(state.reading, index, state.texts.get(index)), "Copied with its source.");
  button.textContent = "Copied"; // the message may be out of sight
  setTimeout(() => (button.textContent = "Copy"), SHOWN);
}

async function save(format) {
  said("");
  const { about } = state.order;
  const order = $("order").value === "extraction" || about ? "extraction" : "document";
  const parameters = new URLSearchParams({ format, order });
  if (about in state.lengths) parameters.set("sentences", state.lengths[about]);
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

$("skip").addEventListener("click", (event) => {
  event.preventDefault();
  $("main").focus();
});
$("again").addEventListener("click", () => {
  history.pushState(null, "", location.pathname);
  showForm();
  $("text").focus();
  $("text").select(); // a text that was pasted is there still, and the next one takes its place
});

$("about").addEventListener("input", () => question());
$("question").addEventListener("submit", (event) => {
  event.preventDefault();
  keep();
  question(0);
});
$("about").addEventListener("keydown", (event) => {
  if (event.key === "Escape") ask("");
});
$("back").addEventListener("click", () => ask(""));
$("check").addEventListener("submit", (event) => {
  event.preventDefault();
  check(state.reading, reveal);
});
for (const id of ["checker", "changer"]) $(id).addEventListener("click", () => toggle($(id)));
$("terms").addEventListener("mousedown", (event) => event.preventDefault()); // the suggestions stay until one is chosen

$("length").addEventListener("input", slide);
for (const id of OPTIONS) {
  $(id).addEventListener("change", () => {
    update();
    complete();
  });
}
$("suggested").addEventListener("click", () => {
  delete state.lengths[state.order.about];
  $("length").value = state.order.chosen.length;
  update();
});
$("only").querySelector("button").addEventListener("click", () => {
  state.only = null;
  update();
});
$("copy").addEventListener("click", copyQuotes);
$("print").addEventListener("click", () => print());
$("link").addEventListener("click", () => take(location.href, "Copied the link; it works while the server keeps the document."));
for (const button of document.querySelectorAll("[data-format]")) button.addEventListener("click", () => save(button.dataset.format));
$("up").addEventListener("click", (event) => {
  event.preventDefault();
  if (state.taken.includes(state.here)) go(state.here, "list");
  else window.scrollTo({ top: 0, behavior: motion(scrollY) });
});

for (const menu of document.querySelectorAll(".menu")) {
  document.addEventListener("click", (event) => {
    if (!menu.querySelector("summary").contains(event.target)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.firstElementChild.focus();
  });
}

for (const name of Object.keys(TABS)) $(`tab-${name}`).addEventListener("click", () => turn(name).then(remember));
$("tabs").addEventListener("keydown", (event) => {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  const shown = [...$("tabs").children].filter((tab) => !tab.hidden);
  const next = shown[(shown.indexOf(document.activeElement) + by + shown.length) % shown.length];
  next.focus();
  next.click();
});
function zoom(by) {
  const at = Math.min(Math.max(ZOOMS.indexOf(views.pages.zoom) + by, 0), ZOOMS.length - 1);
  views.pages.zoom = ZOOMS[at];
  $("scale").textContent = `${100 * ZOOMS[at]} %`;
  $("smaller").disabled = at === 0;
  $("larger").disabled = at === ZOOMS.length - 1;
}
$("smaller").addEventListener("click", () => zoom(-1));
$("larger").addEventListener("click", () => zoom(1));

$("find").addEventListener("input", search);
$("finder").addEventListener("submit", (event) => {
  event.preventDefault();
  turnHit(1);
});
$("previous").addEventListener("click", () => turnHit(-1));

for (const id of ["list", "document", "pages", "map"]) {
  $(id).addEventListener("click", (event) => {
    const node = event.target.closest("li, mark, .box, rect[data-sentence]");
    if (id === "map" && !node && viewShown()) goToShare($("map"), viewShown(), event.clientY);
    if (!node?.dataset.sentence) return;
    event.preventDefault();
    const index = Number(node.dataset.sentence);
    const button = event.target.closest(".take");
    if (button) copyQuote(index, button);
    else go(index, id === "document" || id === "pages" ? "list" : "document");
  });
}
const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  "+": () => resize(1),
  "-": () => resize(-1),
  c: copyQuotes,
  "/": () => $("about").focus(),
  f: () => $("find").focus(),
};
document.addEventListener("keydown", (event) => {
  const isTyped = event.target.matches("textarea, select, input:not([type=range], [type=checkbox])");
  if (!state.reading || event.ctrlKey || event.metaKey || event.altKey || isTyped || !KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]();
});
window.addEventListener("resize", () => state.reading && viewShown() && drawStrip($("map"), viewShown(), state.quotes, state.reading.sentences));
window.addEventListener("scroll", () => state.reading && viewShown() && drawWindow($("map"), viewShown()), { passive: true });
window.addEventListener("popstate", route);
listen(arrive, TRIES, () => {
  if (!state.reading) return;
  history.pushState(null, "", location.pathname);
  showForm();
});
route();
