// Which sentences are quoted, and how the list of them looks. Text from a document only ever becomes text.

const KINDS = ["background", "aim", "method", "result", "conclusion"];

export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// The quotes of a summary, each with its step: what the model chooses, or as many as are wanted.
export function pick(order, wanted, isOwn) {
  const quotes = isOwn ? order.chosen : order.extractions.slice(0, wanted);
  return quotes.map((quote, index) => ({ ...quote, step: index + 1 }));
}

// The list: flat, or folded by section; `say` gives a sentence's text, `reading` all about it.
export function list(quotes, reading, { bySection, withContext, withKinds }, say) {
  const quoted = new Set(quotes.map(({ index }) => index));
  const items = (some) =>
    element("ol", {}, ...some.map((quote) => item(quote, reading, say, { bySection, withKinds, quoted, withContext })));
  if (!bySection) return [items(quotes)];
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
    const { document: file, top, section } = reading.sentences[quote.index];
    const name = reading.documents.length > 1 ? reading.documents[file].name : (top ?? section ?? "Before the first heading");
    const last = found.at(-1);
    if (last?.name === name) last.members.push(quote);
    else found.push({ name, members: [quote] });
  }
  return found;
}

function item({ index, step, context, answer }, reading, say, { bySection, withKinds, quoted, withContext }) {
  const { kind, document: file, top, section, page, speaker, beside } = reading.sentences[index];
  const { name, first } = reading.documents[file];
  const where = [
    withKinds ? kind : null,
    reading.documents.length > 1 && !bySection ? name : null,
    speaker,
    bySection && section === top && reading.documents.length === 1 ? null : section,
    page ? `page ${page}` : null,
    beside ?? `sentence ${index - first + 1}`,
    answer,
  ];
  const parts = [element("span", { className: "step" }, String(step))];
  if (withContext && context !== undefined && !quoted.has(context)) {
    parts.push(element("span", { className: "context" }, say(context)));
  }
  parts.push(element("a", { href: `#s${index}` }, say(index)), element("small", {}, where.filter(Boolean).join(", ")));
  const line = element("li", { id: `q${index}` }, ...parts);
  line.dataset.sentence = index;
  if (kind) line.dataset.kind = kind;
  return line;
}

// What the colours mean, with how many quotes there are of each.
export function legend(quotes, reading) {
  return KINDS.flatMap((kind) => {
    const count = quotes.filter(({ index }) => reading.sentences[index].kind === kind).length;
    if (!count) return [];
    const line = element("li", {}, element("span", { className: "swatch" }), `${kind} ${count}`);
    line.dataset.kind = kind;
    return [line];
  });
}
