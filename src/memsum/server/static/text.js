// The text of a document with its quotes marked.
import { element, motion } from "./dom.js";

const FOLDED = { boilerplate: "Not running text", reference: "References", table: "Table", code: "Code" };
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

  #block({ kind, level, pieces }) {
    const name = { file: "h2", title: "h2", heading: `h${Math.min(level + 2, 6)}` }[kind] ?? "p";
    const block = element(name, { className: kind });
    for (const { text, sentence } of pieces) {
      if (sentence === undefined || sentence === null) {
        block.append(text);
        continue;
      }
      const span = element("span", { dataset: { sentence } }, text);
      if (!this.nodes.has(sentence)) this.nodes.set(sentence, []);
      this.nodes.get(sentence).push(span);
      block.append(span);
    }
    return block;
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
    node.scrollIntoView({ block: "center", behavior: motion() });
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

// Fold stretches that are not read in one go: boilerplate, references, contents pages, tables, code.
function fold(parts, blocks) {
  const shown = [];
  let last = null;
  parts.forEach((part, at) => {
    const name = foldName(part);
    if (!name) shown.push(blocks[at]);
    else if (last?.name === name) last.blocks.push(blocks[at]);
    else shown.push({ name, blocks: [blocks[at]] });
    last = name ? shown.at(-1) : null;
  });
  return shown.map((one) => (one.name && one.blocks ? folded(one) : one));
}

function folded({ name, blocks }) {
  const count = blocks.length === 1 ? "" : ` (${blocks.length} lines)`;
  return element("details", { className: "fold" }, element("summary", {}, `${name}${count}`), ...blocks);
}

function foldName({ kind, pieces }) {
  if (FOLDED[kind]) return FOLDED[kind];
  if (kind !== "paragraph" && kind !== "item" && kind !== "caption") return null;
  const text = pieces.map((piece) => piece.text).join("").trim();
  const letters = text.replace(/\s/g, "");
  if (letters.length > 4 && letters.replace(/\D/g, "").length > DIGITS * letters.length) return "Table";
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
