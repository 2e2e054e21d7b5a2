// Quotes of others, such as an assistant's: which of them are really in the document, and where.
import { request } from "./api.js";
import { $, element, plural, toggle } from "./dom.js";

const SIGNS = { exact: "✓ exact", "same words": "✓ same words", edited: "~ edited", "not found": "✗ not found" };
const MOST_PLACES = 5; // of a quote that are listed

let run = 0;

export function forget() {
  run += 1;
  $("cited").value = $("checked").textContent = "";
  $("verdicts").replaceChildren();
  toggle($("checker"), false);
}

// Look up what was pasted; `reveal` shows an occurrence in the document.
export async function check(reading, reveal) {
  const own = ++run;
  $("checked").textContent = "Looking …";
  $("verdicts").replaceChildren();
  try {
    const body = JSON.stringify({ quotes: $("cited").value });
    const headers = { "Content-Type": "application/json" };
    const { found, quotes } = await (await request(`v1/readings/${reading.id}/locate`, { method: "POST", headers, body })).json();
    if (own !== run) return;
    $("checked").textContent = `${found} of ${plural(quotes.length, "quote")} ${found === 1 ? "is" : "are"} in the document, word for word.`;
    $("verdicts").replaceChildren(...quotes.map((quote) => verdict(quote, reveal)));
  } catch (error) {
    if (own === run) $("checked").textContent = error.message;
  }
}

function verdict(quote, reveal) {
  const { status, note, parts = [], occurrences } = quote;
  const item = element("li", { className: status.replace(" ", "-") }, element("strong", {}, SIGNS[status]), element("q", {}, ...difference(quote)));
  if (note) item.append(element("small", {}, note));
  if (parts.length) item.append(element("ol", { className: "verdicts" }, ...parts.map((part) => verdict(part, reveal))));
  else item.append(...occurrences.slice(0, MOST_PLACES).map((place) => link(place, reveal)));
  if (!parts.length && occurrences.length > MOST_PLACES) item.append(element("small", {}, `and ${occurrences.length - MOST_PLACES} more`));
  return item;
}

function link(place, reveal) {
  const { source, section, page, sentences = [] } = place;
  const where = [source, section, page ? `page ${page}` : null, sentences.length ? `sentence ${sentences[0] + 1}` : null];
  const button = element("button", { type: "button", className: "quiet" }, where.filter(Boolean).join(", ") || "Show");
  button.addEventListener("click", () => reveal(place));
  return button;
}

// The quote with what differs: its own words crossed out, the document's beside them.
function difference({ quote, changes = [] }) {
  const pieces = [];
  const letters = [...quote]; // offsets count characters, as Python does
  let at = 0;
  for (const { start, quote: own, document: theirs } of changes) {
    pieces.push(letters.slice(at, start).join(""));
    if (own) pieces.push(element("del", {}, own));
    if (theirs) pieces.push(element("ins", {}, own ? theirs : ` ${theirs}`));
    at = start + [...own].length;
  }
  return [...pieces, letters.slice(at).join("")];
}
