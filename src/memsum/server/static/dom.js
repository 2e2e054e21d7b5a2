// Small helpers. Text from a document only ever becomes text: nothing on this page makes HTML of it.

export const $ = (id) => document.getElementById(id);

export function element(name, properties = {}, ...children) {
  const { dataset = {}, ...others } = properties;
  const made = Object.assign(document.createElement(name), others);
  for (const [key, value] of Object.entries(dataset)) if (value !== null && value !== undefined) made.dataset[key] = value;
  made.append(...children);
  return made;
}

const FAR = 2; // windows: what is farther away is jumped to

// How to scroll so many pixels.
export const motion = (distance = 0) =>
  matchMedia("(prefers-reduced-motion: reduce)").matches || Math.abs(distance) > FAR * innerHeight ? "instant" : "smooth";

export const isNarrow = () => matchMedia("(max-width: 56rem)").matches;

// Fold or unfold what a button controls.
export function toggle(button, isOpen = button.ariaExpanded !== "true") {
  button.ariaExpanded = String(isOpen);
  $(button.getAttribute("aria-controls")).hidden = !isOpen;
}

// A time of a transcript as people say it: neither hours nor fractions that say nothing.
export const clock = (time) => time?.replace(/^00:(?=\d+:)/, "").replace(/[.,]\d+$/, "");

export const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
