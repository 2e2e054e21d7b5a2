// Small helpers. Text from a document only ever becomes text: nothing on this page makes HTML of it.

export const $ = (id) => document.getElementById(id);

export function element(name, properties = {}, ...children) {
  const { dataset = {}, ...others } = properties;
  const made = Object.assign(document.createElement(name), others);
  for (const [key, value] of Object.entries(dataset)) if (value !== null && value !== undefined) made.dataset[key] = value;
  made.append(...children);
  return made;
}

export const motion = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth");

export const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
