import { element, prose } from "./element.js"

/**
 * @typedef {import("./element.js").Child} Child
 * @typedef {{ title: string, number?: boolean, code?: boolean, wide?: boolean }} Column
 */

/**
 * A table that scrolls sideways on its own, also with the keyboard.
 * @param {{ caption: string, columns: Column[], rows: Child[][], empty: string, hideCaption?: boolean }} options
 */
export function table({ caption, columns, rows, empty, hideCaption = false }) {
  if (rows.length === 0) {
    return element(
      "section",
      { class: "block" },
      element("h2", { class: hideCaption && "unseen" }, caption),
      element("p", { class: "empty" }, prose(empty)),
    )
  }
  const body = element("tbody", {}, ...rows.map((cells) => row(columns, cells)))
  return element(
    "div",
    { class: "block scroll", role: "region", "aria-label": caption, tabindex: 0 },
    element(
      "table",
      {},
      element("caption", { class: hideCaption && "unseen" }, caption),
      tableHead(columns),
      body,
    ),
  )
}

/** @param {Column[]} columns */
export function tableHead(columns) {
  const cells = columns.map(({ title, number = false }) =>
    element("th", { scope: "col", class: number && "number" }, title),
  )
  return element("thead", {}, element("tr", {}, ...cells))
}

/**
 * The first cell is the row's header.
 * @param {Column[]} columns
 * @param {Child[]} cells
 */
export function row(columns, cells) {
  return element(
    "tr",
    {},
    ...columns.map(({ number = false, code = false, wide = false }, index) => {
      const looks = [number && "number", code && "code", wide && "wide"].filter(Boolean).join(" ")
      const attributes = { class: looks === "" ? undefined : looks }
      return index === 0
        ? element("th", { scope: "row", ...attributes }, cells[index])
        : element("td", attributes, cells[index])
    }),
  )
}

/**
 * A list of names with their values.
 * @param {[string, Child | Child[]][]} pairs
 */
export function facts(pairs) {
  return element(
    "dl",
    { class: "facts" },
    ...pairs.map(([name, value]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, ...[value].flat())),
    ),
  )
}
