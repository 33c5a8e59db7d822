/** Small builders for elements. Text always goes in as text nodes, so nothing the hub sends is read as markup. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {Element} element
 * @param {Record<string, any>} attributes `class`, `on…` listeners, and plain attributes; null and false leave one out
 * @param {any[]} children elements, texts and numbers; null and false are skipped
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/** An HTML element. @returns {HTMLElement} */
export function h(tag, attributes = {}, ...children) {
  return /** @type {HTMLElement} */ (fill(document.createElement(tag), attributes, children));
}

/** An SVG element. @returns {SVGElement} */
export function s(tag, attributes = {}, ...children) {
  return /** @type {SVGElement} */ (fill(document.createElementNS(SVG, tag), attributes, children));
}

/** The element with this id; the page always holds it. @returns {HTMLElement} */
export const byID = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** Sets an element's text only when it differs, so that screen readers and selections are left alone. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** An icon of the page's own set, hidden from screen readers. */
export function icon(name) {
  return s("svg", { class: "icon", "aria-hidden": "true", viewBox: "0 0 24 24" },
    s("use", { href: `#icon-${name}` }));
}

/** Calls `draw(width)` now and whenever the element's width changes. */
export function onWidth(element, draw) {
  let last = 0;
  new ResizeObserver(() => {
    const width = Math.floor(element.clientWidth);
    if (width > 0 && width !== last) draw(last = width);
  }).observe(element);
}

/** A group of buttons of which one is pressed; `choose(value)` is called when the user picks another. */
export function segmented(label, choices, current, choose) {
  const buttons = choices.map(([value, text]) => h("button", {
    type: "button", "aria-pressed": String(value === current), "data-value": value,
    onclick: () => {
      for (const b of buttons) b.setAttribute("aria-pressed", String(b.dataset.value === String(value)));
      choose(value);
    },
  }, text));
  return h("div", { class: "segmented", role: "group", "aria-label": label }, buttons);
}
