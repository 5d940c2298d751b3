import { element, prose } from "./element.js"
import { plural } from "./format.js"
import { row, tableHead } from "./table.js"

/**
 * @typedef {import("./events.js").Entry} Entry
 * @typedef {import("./element.js").Child} Child
 */

/** Rows on the page; the filter searches all entries. */
const rowLimit = 200

/**
 * A live table of entries, newest first, with a filter and a pause button.
 * @param {import("./view.js").ViewContext} context
 * @param {{
 *   caption: string,
 *   columns: import("./table.js").Column[],
 *   cells: (entry: Entry) => Child[],
 *   belongs: (entry: Entry) => boolean,
 *   select: { label: string, options: [string, string][], matches: (entry: Entry, value: string) => boolean },
 *   hint: string,
 *   empty: string,
 * }} options
 */
export function entryList({ events, onLeave }, options) {
  const { caption, columns, cells, belongs, select, hint, empty } = options
  const body = element("tbody")
  const tally = element("p", { class: "tally" })
  const nothing = element("p", { class: "empty" }, prose(empty))
  const noMatch = element("p", { class: "empty" }, "Nothing matches the filter.")
  const words = element("input", {
    type: "search",
    id: "words",
    autocomplete: "off",
    spellcheck: "false",
    oninput: draw,
  })
  const choice = element(
    "select",
    { id: "choice", onchange: draw },
    element("option", { value: "" }, "all"),
    ...select.options.map(([value, label]) => element("option", { value }, label)),
  )
  const pause = element(
    "button",
    { type: "button", "aria-pressed": "false", onclick: toggle },
    "Pause",
  )
  const scroll = element(
    "div",
    { class: "block scroll", role: "region", "aria-label": caption, tabindex: 0 },
    element(
      "table",
      { class: "entries" },
      element("caption", { class: "unseen" }, `${caption}, newest first`),
      tableHead(columns),
      body,
    ),
  )

  const paused = () => pause.getAttribute("aria-pressed") === "true"

  function toggle() {
    pause.setAttribute("aria-pressed", String(!paused()))
    if (!paused()) draw()
  }

  /** @param {Entry} entry */
  function isShown(entry) {
    if (!belongs(entry)) return false
    if (choice.value !== "" && !select.matches(entry, choice.value)) return false
    const text = Object.values(entry).map(String).join(" ").toLowerCase()
    return words.value
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word))
  }

  function draw() {
    const shown = events.entries().filter(isShown)
    body.replaceChildren(
      ...shown
        .slice(-rowLimit)
        .toReversed()
        .map((entry) => row(columns, cells(entry))),
    )
    count(shown.length)
  }

  /** @param {number} found */
  function count(found) {
    const all = events.entries().filter(belongs).length
    scroll.hidden = found === 0
    nothing.hidden = all > 0
    noMatch.hidden = all === 0 || found > 0
    const more = found > rowLimit ? `, latest ${rowLimit} shown` : ""
    tally.textContent = all === 0 ? "" : `${found} of ${plural(all, "entry", "entries")}${more}`
  }

  onLeave(
    events.subscribe((entry) => {
      if (paused()) return
      if (entry === undefined) return draw()
      if (!isShown(entry)) return
      const added = row(columns, cells(entry))
      added.className = "new"
      body.prepend(added)
      while (body.rows.length > rowLimit) body.deleteRow(-1)
      count(events.entries().filter(isShown).length)
    }),
  )
  draw()

  return [
    element(
      "div",
      { class: "filter", role: "search", "aria-label": caption },
      element("label", { for: "words" }, "Contains", words),
      element("label", { for: "choice" }, select.label, choice),
      pause,
      tally,
    ),
    element("p", { class: "hint" }, prose(hint)),
    nothing,
    noMatch,
    scroll,
  ]
}
