// The strip beside the document: where the quotes, the sections or pages, and the window stand.

const HEIGHT = 1000;
const THINNEST = 5;
const MOST_LINES = 60; // more would be a gray surface
const SVG = "http://www.w3.org/2000/svg";

export function drawStrip(svg, view, quotes, sentences) {
  const lines = view.lines();
  const seen = rect("seen", 0, 0);
  const drawn = lines.length > MOST_LINES ? [] : lines.map((top) => rect("section", top, 1 / HEIGHT));
  const marks = quotes.flatMap(({ index }) => {
    const place = view.place(index);
    if (!place) return [];
    const made = rect("mark", place[0], Math.max(THINNEST / HEIGHT, place[1]));
    made.dataset.sentence = index;
    if (sentences[index].kind) made.dataset.kind = sentences[index].kind;
    return [made];
  });
  svg.replaceChildren(seen, ...drawn, ...marks);
  drawWindow(svg, view);
}

// Show which part of the document is in the window.
export function drawWindow(svg, view) {
  const seen = svg.querySelector(".seen");
  const box = view.node.getBoundingClientRect();
  if (!seen || !box.height) return;
  const top = Math.min(Math.max(-box.top / box.height, 0), 1);
  const bottom = Math.min(Math.max((innerHeight - box.top) / box.height, 0), 1);
  seen.setAttribute("y", HEIGHT * top);
  seen.setAttribute("height", HEIGHT * (bottom - top));
}

// Bring that part of the document into the window which a place on the strip stands for.
export function goToShare(svg, view, y) {
  const strip = svg.getBoundingClientRect();
  const box = view.node.getBoundingClientRect();
  window.scrollBy({ top: box.top + ((y - strip.top) / strip.height) * box.height - innerHeight / 2, behavior: "instant" });
}

function rect(name, top, height) {
  const made = document.createElementNS(SVG, "rect");
  const attributes = { class: name, y: HEIGHT * top, height: HEIGHT * height, width: 10 };
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
