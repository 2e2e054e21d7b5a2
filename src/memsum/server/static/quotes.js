// Which sentences are quoted, and how the list of them looks.
import { clock, element } from "./dom.js";

const ROLES = ["background", "aim", "method", "result", "conclusion", null];
const NO_ROLE = "no role";
const BAR = " | "; // between the cells of a row

// The quotes of a summary, each with its number: every summary is the beginning of one order.
export function pick(order, wanted) {
  return order.extractions.slice(0, wanted).map((quote, index) => ({ ...quote, step: index + 1 }));
}

// The list: flat, or folded by section; `reading` has all about a sentence, `texts` what it says.
export function list(quotes, reading, texts, options) {
  const quoted = new Set(quotes.map(({ index }) => index));
  const items = (some) => element("ol", {}, ...some.map((quote) => item(quote, reading, texts, { ...options, quoted })));
  if (!options.bySection) return [items(quotes)];
  return sections(quotes, reading).map(({ name, members }) =>
    element(
      "details",
      { open: true, className: "section" },
      element("summary", {}, name, element("span", { className: "facts" }, ` ${members.length}`)),
      items(members),
    ),
  );
}

function sections(quotes, reading) {
  const found = [];
  for (const quote of quotes) {
    const name = groupName(reading, reading.sentences[quote.index]);
    if (found.at(-1)?.name === name) found.at(-1).members.push(quote);
    else found.push({ name, members: [quote] });
  }
  return found;
}

// The part of a document that a sentence belongs to: of several documents, which of them.
export function groupName(reading, { document: file, top, section, beside }) {
  if (reading.documents.length > 1) return reading.documents[file].name;
  return beside === "abstract" ? "Abstract" : (top ?? section ?? "Before the first heading");
}

// Where a sentence stands, in words.
export function position(reading, index, { bySection = false } = {}) {
  const { document: file, top, section, page, speaker, time, beside } = reading.sentences[index];
  const { name, first } = reading.documents[file];
  const isNamed = bySection && section === top && reading.documents.length === 1;
  return [
    reading.documents.length > 1 && !bySection ? name : null,
    speaker,
    clock(time),
    isNamed ? null : section,
    page ? `page ${page}` : null,
    beside ?? `sentence ${index - first + 1}`,
  ].filter(Boolean);
}

const FEW = 3; // authors that are all named

function named(authors) {
  if (authors.length > FEW) return `${authors[0]} et al.`;
  return authors.length > 1 ? `${authors.slice(0, -1).join(", ")} and ${authors.at(-1)}` : authors[0];
}

// A quote with its source, as one would cite it.
export function citation(reading, index, text) {
  const { document: file, section, page } = reading.sentences[index];
  const { title, name, authors } = reading.documents[file];
  const where = page ? `page ${page}` : section;
  return `“${text}” (${[named(authors), title ?? name, where].filter(Boolean).join(", ")})`;
}

function item({ index, step, context, after, answer }, reading, texts, { bySection, withContext, withRoles, quoted }) {
  const { kind, beside } = reading.sentences[index];
  const where = [withRoles ? kind : null, ...position(reading, index, { bySection }), answer];
  const isNeeded = (other) => withContext && other && !quoted.has(other.index);
  const isRow = beside === "table" && texts.get(index).includes(BAR);
  const said = isRow ? [table(context?.kind === "head" ? [context.text] : [], texts.get(index))] : [texts.get(index)];
  return element(
    "li",
    { id: `q${index}`, dataset: { sentence: index, kind } },
    element("span", { className: "step" }, String(step)),
    ...(isNeeded(context) && !isRow ? [element("span", { className: "context" }, context.text)] : []),
    element("a", { href: `#s${index}`, className: beside ?? "" }, ...said),
    ...(isNeeded(after) ? [element("span", { className: "context" }, after.text)] : []),
    element("small", {}, where.filter(Boolean).join(", ")),
    element("button", { type: "button", className: "take", ariaLabel: `Copy quote ${step} with its source` }, "Copy"),
  );
}

// A row of a table below the heads of its columns.
function table(heads, row) {
  const cells = (name, text) => element("tr", {}, ...text.split(BAR).map((cell) => element(name, {}, cell)));
  return element("table", {}, ...heads.map((head) => cells("th", head)), cells("td", row));
}

// What the colors mean, with how many quotes there are of each.
export function legend(quotes, reading) {
  return ROLES.flatMap((role) => {
    const count = quotes.filter(({ index }) => reading.sentences[index].kind === role).length;
    return count ? [element("li", { dataset: { kind: role } }, element("span", { className: "swatch" }), `${role ?? NO_ROLE} ${count}`)] : [];
  });
}
