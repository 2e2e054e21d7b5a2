// The text of a document with its quotes marked.
import { clock, element, motion } from "./dom.js";

const NAMES = { file: "h2", title: "h2", code: "pre", table: "tr" }; // of elements; others are paragraphs
const LONG = 40; // rows of a table, lines of code: more are folded
const HEAD = 1; // the level of a row that names the columns
const BAR = " | "; // between cells
const CONTENTS = /(?:\.[ .]{3,}|…|\s)\d{1,4}\s*$/; // a line of a table of contents ends with its page
const MOST_WORDS = 14; // of such a line
const DIGITS = 0.3; // share of digits from which on a block is a table

export class TextView {
  constructor(node) {
    this.node = node;
  }

  // Build the document from its parts; every sentence is a span that knows its number.
  show(parts) {
    this.nodes = new Map();
    this.blocks = parts.map((part) => this.#block(part));
    this.node.replaceChildren(...fold(parts, this.blocks));
  }

  #block({ kind, level, pieces, time }) {
    const name = kind === "heading" ? `h${Math.min(level + 2, 6)}` : (NAMES[kind] ?? "p");
    const block = element(name, { className: kind, dataset: { time: clock(time) } });
    if (kind === "table") this.#cells(block, level === HEAD ? "th" : "td", pieces);
    else for (const { text, sentence } of pieces) block.append(this.#piece(text, sentence));
    return block;
  }

  #piece(text, sentence) {
    if (sentence === undefined || sentence === null) return text;
    const span = element("span", { dataset: { sentence } }, text);
    if (!this.nodes.has(sentence)) this.nodes.set(sentence, []);
    this.nodes.get(sentence).push(span);
    return span;
  }

  // The cells of a row; the bars between them stay, unseen, so that offsets are those of the text.
  #cells(row, name, pieces) {
    let cell = row.appendChild(element(name));
    for (const { text, sentence } of pieces) {
      text.split(BAR).forEach((part, at) => {
        if (at) {
          cell.append(element("span", { className: "unseen" }, BAR));
          cell = row.appendChild(element(name));
        }
        if (part) cell.append(this.#piece(part, sentence));
      });
    }
  }

  // Mark the quotes, and nothing else; each has its number, and the kind of its section.
  mark(quotes, sentences) {
    for (const old of this.node.querySelectorAll("mark")) {
      old.querySelector(".step")?.remove();
      this.#replace(old, "span");
    }
    for (const { index, step } of quotes) {
      (this.nodes.get(index) ?? []).forEach((span, position) => {
        const marked = this.#replace(span, "mark");
        if (sentences[index].kind) marked.dataset.kind = sentences[index].kind;
        if (position === 0) marked.prepend(element("span", { className: "step", role: "img", ariaLabel: `Quote ${step}` }, String(step)));
      });
    }
  }

  #replace(old, name) {
    const index = Number(old.dataset.sentence);
    const made = element(name, { dataset: { sentence: index } }, ...old.childNodes);
    const nodes = this.nodes.get(index);
    nodes[nodes.indexOf(old)] = made;
    old.replaceWith(made);
    return made;
  }

  marksOf(index) {
    return this.nodes?.get(index) ?? [];
  }

  reveal(index) {
    const [first] = this.marksOf(index);
    if (first) this.#scroll(first);
  }

  // Show the place of a search: a range of the text.
  revealHit({ part, start, end }) {
    const range = rangeOf(this.blocks[part], start, end);
    if (globalThis.Highlight) CSS.highlights.set("found", new Highlight(range));
    this.#scroll(range.startContainer.parentElement);
  }

  forgetHit() {
    globalThis.CSS?.highlights?.delete("found");
  }

  #scroll(node) {
    for (let fold = node.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    node.scrollIntoView({ block: "center", behavior: motion(node.getBoundingClientRect().top) });
  }

  has(index) {
    return Boolean(this.nodes?.has(index));
  }

  // Where a sentence stands, from 0 to 1: its top and its height.
  place(index) {
    const node = this.marksOf(index)[0];
    return node ? this.#share(node) : null;
  }

  lines() {
    return [...this.node.querySelectorAll("h3.heading, h2.file")].map((node) => this.#share(node)[0]);
  }

  #share(node) {
    const frame = this.node.getBoundingClientRect();
    const box = (node.closest("details:not([open])") ?? node).getBoundingClientRect();
    return [(box.top - frame.top) / frame.height, box.height / frame.height];
  }
}

// Put rows together to tables, and fold stretches that are not read in one go: boilerplate, references, contents pages.
function fold(parts, blocks) {
  const shown = [];
  parts.forEach((part, at) => {
    const name = foldName(part);
    if (name && shown.at(-1)?.name === name) shown.at(-1).blocks.push(blocks[at]);
    else shown.push({ name, kind: part.kind, blocks: [blocks[at]] });
  });
  let tables = 0;
  return shown.flatMap(({ name, kind, blocks }) => {
    const isTable = kind === "table";
    const made = isTable ? [scrolled(blocks, `Table ${++tables}`)] : blocks;
    const size = kind === "code" ? blocks[0].textContent.split("\n").length : blocks.length;
    return !name || ((isTable || kind === "code") && size <= LONG) ? made : [folded(name, size, isTable ? "rows" : "lines", made)];
  });
}

function scrolled(rows, ariaLabel) {
  return element("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel }, element("table", {}, ...rows));
}

function folded(name, size, unit, nodes) {
  const count = size === 1 ? "" : ` (${size} ${unit})`;
  return element("details", { className: "fold" }, element("summary", {}, `${name}${count}`), ...nodes);
}

function foldName({ kind, pieces, reason }) {
  if (kind === "boilerplate") return reason ? `Not running text: ${reason}` : "Not running text";
  if (kind === "reference") return "References";
  if (kind === "table") return "Table";
  if (kind === "code") return "Code";
  if (kind !== "paragraph" && kind !== "item" && kind !== "caption") return null;
  const text = pieces.map((piece) => piece.text).join("").trim();
  const letters = text.replace(/\s/g, "");
  if (letters.length > 4 && letters.replace(/\D/g, "").length > DIGITS * letters.length) return "Figures";
  return kind !== "caption" && CONTENTS.test(text) && text.split(/\s+/).length <= MOST_WORDS ? "Contents" : null;
}

// The range of a block's own text, without the numbers of quotes in it.
function rangeOf(block, start, end) {
  const range = document.createRange();
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement.className === "step" ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  let at = 0;
  let isBegun = false;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!isBegun && start < at + node.length) {
      range.setStart(node, start - at);
      isBegun = true;
    }
    if (isBegun && end <= at + node.length) {
      range.setEnd(node, end - at);
      break;
    }
    at += node.length;
  }
  return range;
}
