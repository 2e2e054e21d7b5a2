// The document, its marks and its map. Text from a document only ever becomes text: nothing here makes HTML of it.

const HEIGHT = 1000;
const THINNEST = 5;
const SVG = "http://www.w3.org/2000/svg";

// Build the document from its parts; every sentence is a span that knows its number.
export function show(article, parts) {
  article.replaceChildren(...parts.map(build));
}

function build({ kind, level, pieces }) {
  const block = document.createElement({ file: "h2", title: "h2", heading: `h${Math.min(level + 2, 6)}` }[kind] ?? "p");
  block.className = kind;
  const seen = new Set();
  for (const { text, sentence } of pieces) {
    if (sentence === undefined || sentence === null) {
      block.append(text);
      continue;
    }
    const span = document.createElement("span");
    if (!seen.has(sentence)) span.id = `s${sentence}`;
    seen.add(sentence);
    span.dataset.sentence = sentence;
    span.textContent = text;
    block.append(span);
  }
  return block;
}

const pieces = (article, index) => [...article.querySelectorAll(`[data-sentence="${index}"]`)];
const words = (node) => [...node.childNodes].filter((child) => child.className !== "step");

// The text of a sentence, whether it is marked or not.
export function quote(article, index) {
  return pieces(article, index).map((node) => words(node).map((child) => child.textContent).join("").trim()).join(" ");
}

// Mark the quotes, and nothing else; each says its step, and the kind of its section.
export function mark(article, quotes, sentences) {
  for (const old of article.querySelectorAll("mark")) {
    const span = document.createElement("span");
    span.id = old.id;
    span.dataset.sentence = old.dataset.sentence;
    span.append(...words(old));
    old.replaceWith(span);
  }
  for (const { index, step } of quotes) {
    pieces(article, index).forEach((span, place) => {
      const marked = document.createElement("mark");
      marked.id = span.id;
      marked.dataset.sentence = index;
      if (sentences[index].kind) marked.dataset.kind = sentences[index].kind;
      if (place === 0) {
        const number = Object.assign(document.createElement("span"), { className: "step", role: "img", ariaLabel: `Sentence ${step} of the summary` });
        number.textContent = step;
        marked.append(number);
      }
      marked.append(...span.childNodes);
      span.replaceWith(marked);
    });
  }
}

// Draw where the sentences and the sections stand, from top to bottom of the document.
export function mapMarks(svg, article, sentences) {
  const frame = article.getBoundingClientRect();
  const place = (node) => {
    const box = node.getBoundingClientRect();
    return [(HEIGHT * (box.top - frame.top)) / frame.height, (HEIGHT * box.height) / frame.height];
  };
  const sections = [...article.querySelectorAll("h3.heading, h2.file")].map((node) => rect("section", place(node)[0], 1));
  const marks = sentences.flatMap((index) => {
    const node = article.querySelector(`[data-sentence="${index}"]`);
    if (!node) return [];
    const [top, height] = place(node);
    const made = rect("mark", top, Math.max(THINNEST, height));
    made.dataset.sentence = index;
    if (node.dataset.kind) made.dataset.kind = node.dataset.kind;
    return [made];
  });
  svg.replaceChildren(...sections, ...marks);
}

function rect(name, y, height) {
  const made = document.createElementNS(SVG, "rect");
  const attributes = { class: name, y, height, width: 10 };
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
