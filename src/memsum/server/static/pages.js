// The pages of PDFs as pictures, drawn when they come into sight, with boxes over the quotes.
import { request } from "./api.js";
import { element, motion } from "./dom.js";

const AT_ONCE = 2; // pages that are asked for
const MOST_HELD = 24; // pages whose pictures are held
const AHEAD = "75%"; // of the window's height, above and below, that is drawn before it is seen
const SHARP = 0.9; // of the pixels that a page takes on the screen, which its picture needs
export const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2];

export class PagesView {
  #zoom = 1;

  constructor(node) {
    this.node = node;
    this.boxes = [];
    this.queue = [];
    this.asked = 0;
    this.observer = new IntersectionObserver((entries) => entries.forEach((entry) => this.#seen(entry)), { rootMargin: AHEAD });
  }

  // Lay out empty pages; the layout has their sizes and the boxes of all sentences. Of several documents, each is named.
  show({ id, documents }, { pages, boxes, widths }) {
    this.observer.disconnect();
    this.reading = id;
    this.boxes = boxes;
    this.widths = widths;
    this.queue = [];
    this.heights = pages.map(({ width, height }) => height / width);
    this.tops = [0];
    for (const height of this.heights) this.tops.push(this.tops.at(-1) + height);
    const counts = documents.map((_, at) => pages.filter(({ document: of }) => of === at).length);
    this.pages = pages.map((page, at) => sheet(at + 1, page, counts[page.document]));
    this.node.replaceChildren(
      ...this.pages.flatMap(({ node }, at) => {
        const { document: of, number } = pages[at];
        return number === 1 && documents.length > 1 ? [element("h2", { className: "file" }, documents[of].name), node] : [node];
      }),
    );
    for (const page of this.pages) this.observer.observe(page.node);
  }

  // --- pictures -----------------------------------------------------------------------------------------------------

  #seen({ target, isIntersecting }) {
    const page = this.pages[Number(target.dataset.page) - 1];
    if (page?.node !== target) return;
    page.isNear = isIntersecting;
    if (isIntersecting && page.width < this.#width()) this.queue.push(page);
    this.#next();
  }

  #width() {
    const wanted = SHARP * this.node.clientWidth * this.#zoom * devicePixelRatio;
    return this.widths.find((width) => width >= wanted) ?? this.widths.at(-1);
  }

  // Draw what came into sight last first: whoever scrolls fast waits for no page that is gone.
  async #next() {
    if (this.asked >= AT_ONCE) return;
    const page = this.queue.pop();
    if (!page) return;
    const width = this.#width();
    if (page.isNear && page.width < width && !page.isFailed) {
      this.asked += 1;
      await this.#draw(page, width);
      this.asked -= 1;
    }
    this.#next();
  }

  async #draw(page, width) {
    page.width = width;
    try {
      const image = await request(`v1/readings/${this.reading}/pages/${page.number}?width=${width}`);
      const picture = await createImageBitmap(await image.blob());
      Object.assign(page.canvas, { width: picture.width, height: picture.height });
      page.canvas.getContext("2d").drawImage(picture, 0, 0);
      picture.close();
      page.node.classList.add("drawn");
    } catch (error) {
      page.isFailed = true;
      page.node.append(element("p", { className: "placeholder" }, error.message));
    }
    this.#release();
  }

  // Forget pictures that are out of sight, the farthest first.
  #release() {
    const held = this.pages.filter((page) => page.width && !page.isFailed);
    if (held.length <= MOST_HELD) return;
    const middle = this.#middle();
    held.sort((a, b) => Math.abs(b.number - middle) - Math.abs(a.number - middle));
    for (const page of held.slice(0, held.length - MOST_HELD)) {
      if (page.isNear) continue;
      page.canvas.width = page.canvas.height = page.width = 0;
      page.node.classList.remove("drawn");
    }
  }

  // The number of the page in the middle of the window.
  #middle() {
    const box = this.node.getBoundingClientRect();
    const at = ((innerHeight / 2 - box.top) / box.height) * this.tops.at(-1);
    return this.tops.findLastIndex((top) => top <= at) + 1;
  }

  get zoom() {
    return this.#zoom;
  }

  set zoom(value) {
    const page = this.pages[Math.min(Math.max(this.#middle(), 1), this.pages.length) - 1];
    const from = page.node.getBoundingClientRect();
    const share = (innerHeight / 2 - from.top) / from.height;
    this.#zoom = value;
    this.node.style.setProperty("--zoom", value);
    const to = page.node.getBoundingClientRect();
    window.scrollBy({ top: to.top + share * to.height - innerHeight / 2, behavior: "instant" });
    this.queue.push(...this.pages.filter((one) => one.isNear));
    this.#next();
  }

  // --- boxes --------------------------------------------------------------------------------------------------------

  mark(quotes, sentences, say) {
    for (const page of this.pages) page.layer.replaceChildren();
    for (const { index, step } of quotes) {
      this.boxes[index]?.forEach((box, position) => {
        const { kind } = sentences[index];
        const made = this.#box(box, position ? "span" : "a", { className: "box", dataset: { sentence: index, kind } });
        if (position) return;
        Object.assign(made, { href: `#q${index}`, ariaLabel: `Quote ${step}: ${say(index)}` });
        made.append(element("span", { className: "step", ariaHidden: "true" }, String(step)));
      });
    }
  }

  #box([number, left, top, right, bottom], name, properties) {
    const made = element(name, properties);
    const edges = { left, top, width: right - left, height: bottom - top };
    for (const [edge, share] of Object.entries(edges)) made.style[edge] = `${100 * share}%`;
    this.pages[number - 1].layer.append(made);
    return made;
  }

  marksOf(index) {
    return [...this.node.querySelectorAll(`.box[data-sentence="${index}"]`)];
  }

  reveal(index) {
    this.#scroll(this.boxes[index]?.[0]);
  }

  #scroll(box) {
    if (!box) return;
    const [number, left, top] = box;
    const page = this.pages[number - 1].node;
    const frame = page.getBoundingClientRect();
    const distance = frame.top + top * frame.height - innerHeight / 3;
    window.scrollBy({ top: distance, behavior: motion(distance) });
    if (this.#zoom > 1) this.node.scrollTo({ left: page.offsetLeft + left * frame.width - this.node.clientWidth / 4 });
  }

  revealHit({ sentence }) {
    this.revealBoxes(this.boxes[sentence] ?? []);
  }

  revealBoxes(boxes) {
    this.forgetHit();
    for (const box of boxes) this.#box(box, "span", { className: "box hit" });
    this.#scroll(boxes[0]);
  }

  forgetHit() {
    for (const node of this.node.querySelectorAll(".hit")) node.remove();
  }

  has(index) {
    return Boolean(this.boxes[index]?.length);
  }

  // Where a sentence stands, from 0 to 1: its top and its height.
  place(index) {
    const boxes = this.boxes[index];
    if (!boxes?.length) return null;
    const total = this.tops.at(-1);
    const at = ([number, , top]) => (this.tops[number - 1] + top * this.heights[number - 1]) / total;
    const own = boxes.filter(([number]) => number === boxes[0][0]);
    const lowest = Math.max(...own.map(([number, , , , bottom]) => at([number, 0, bottom])));
    const highest = Math.min(...own.map(at));
    return [highest, lowest - highest];
  }

  lines() {
    return this.tops.slice(1, -1).map((top) => top / this.tops.at(-1));
  }
}

function sheet(at, { number, width, height }, count) {
  const canvas = element("canvas", { width: 0, height: 0, role: "img", ariaLabel: `Page ${number} of ${count}` });
  const layer = element("div", { className: "boxes" });
  const node = element("div", { className: "page", dataset: { page: at } }, canvas, layer, element("span", { className: "folio", ariaHidden: "true" }, String(number)));
  node.style.aspectRatio = `${width} / ${height}`;
  return { number: at, node, canvas, layer, width: 0, isNear: false, isFailed: false };
}
