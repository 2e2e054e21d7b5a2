// Find words in a document: in its parts, so that it works whichever way the document is shown.

const MOST = 999;

// The places of some words, in order; each is in a part, and at a sentence or before the next one.
export function find(parts, words) {
  const wanted = fold(words.trim());
  if (!wanted) return [];
  const hits = [];
  parts.forEach(({ pieces }, part) => {
    const text = fold(pieces.map((piece) => piece.text).join(""));
    for (let start = text.indexOf(wanted); start >= 0; start = text.indexOf(wanted, start + wanted.length)) {
      hits.push({ part, start, end: start + wanted.length, sentence: sentenceAt(pieces, start) });
    }
  });
  let next = null;
  for (const hit of hits.toReversed()) next = hit.sentence = hit.sentence ?? next;
  return hits.slice(0, MOST);
}

// Case does not matter, and what has the same length in lower case keeps its offsets.
const fold = (text) => {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
};

function sentenceAt(pieces, offset) {
  let at = 0;
  for (const { text, sentence } of pieces) {
    at += text.length;
    if (at > offset) return sentence ?? null;
  }
  return null;
}
