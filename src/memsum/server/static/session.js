// What this tab of the browser remembers: the draft, the documents of the session and how each was shown.

const PREFIX = "reading=";
const load = (key, otherwise) => JSON.parse(sessionStorage.getItem(key) ?? "null") ?? otherwise;

function save(key, value) {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // A text that is too large to be remembered is still on the page.
  }
}

export const draft = { load: () => load("draft", ""), save: (text) => save("draft", text) };
export const documents = () => load("documents", []);
export const viewOf = (id) => load(`view ${id}`, {});
export const saveView = (id, view) => save(`view ${id}`, view);

export function remember(id, title) {
  save("documents", [{ id, title }, ...documents().filter((one) => one.id !== id)]);
}

export function forget(id) {
  save("documents", documents().filter((one) => one.id !== id));
  sessionStorage.removeItem(`view ${id}`);
}

// The address names the document behind the hash: no server's log gets to see it.
export const addressOf = (id) => `${location.pathname}#${PREFIX}${id}`;

export function addressed() {
  const hash = location.hash.slice(1);
  return hash.startsWith(PREFIX) ? hash.slice(PREFIX.length) : null;
}
