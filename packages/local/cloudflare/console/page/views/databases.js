import { element, prose } from "../element.js"
import { bytes, count, plural } from "../format.js"
import { readJson } from "../session.js"
import { facts, table } from "../table.js"

/**
 * @typedef {null | number | string | { integer: string } | { bytes: number } | { text: string, characters: number }} Cell
 * @typedef {{ name: string, type: string, notnull: boolean, pk: number }} Column
 * @typedef {{ name: string, type: string, rows: number | null, columns: Column[] }} Table
 * @typedef {{ columns: Column[], rows: Cell[][], total: number, page: number, per_page: number, name: string }} Rows
 */

const pageSize = 50

/** @type {import("../view.js").View} */
export const databases = {
  title: "Databases",
  // Workers are taken to write only in crons and in requests other than GET.
  concerns: ({ event, method }) =>
    event === "cron" || (["api", "request"].includes(event) && method !== "GET"),
  async show({ parts: [id, name], page }) {
    if (id === undefined) return { content: await list() }
    return name === undefined ? tables(id) : rows(id, name, page)
  },
}

async function list() {
  /** @type {{ databases: { id: string, name: string, bytes: number }[] }} */
  const { databases: all } = await readJson("/local/status")
  return [
    table({
      caption: "Databases of this account",
      hideCaption: true,
      columns: [{ title: "Name" }, { title: "Id", code: true }, { title: "Size", number: true }],
      rows: all.map((database) => [
        element("a", { href: `#/databases/${database.id}` }, database.name),
        database.id,
        bytes(database.bytes),
      ]),
      empty:
        "No database yet. `npm start` creates this project’s; `wrangler d1 create` creates others.",
    }),
  ]
}

/** @param {string} id */
async function tables(id) {
  /** @type {{ id: string, name: string, bytes: number, tables: Table[] }} */
  const database = await readJson(`/local/console/databases/${encodeURIComponent(id)}/tables`)
  return {
    title: `Database ${database.name}`,
    content: [
      element("p", { class: "back" }, element("a", { href: "#/databases" }, "All databases")),
      facts([
        ["Id", element("code", {}, database.id)],
        ["Size", bytes(database.bytes)],
      ]),
      table({
        caption: "Tables",
        columns: [
          { title: "Name" },
          { title: "Rows", number: true },
          { title: "Columns", wide: true },
        ],
        rows: database.tables.map(({ name, type, rows: amount, columns }) => [
          amount === null ? `${name} (${type})` : element("a", { href: address(id, name) }, name),
          amount === null ? "" : count(amount),
          columns.map((column) => column.name).join(", "),
        ]),
        empty: "No table yet. Create one with a migration or `wrangler d1 execute`.",
      }),
      element(
        "p",
        { class: "hint" },
        prose(
          "Rows of views and virtual tables are not shown; query them with `wrangler d1 execute`.",
        ),
      ),
    ],
  }
}

/** @param {string} id @param {string} name @param {number} page */
async function rows(id, name, page) {
  const path = `/local/console/databases/${encodeURIComponent(id)}/tables/${encodeURIComponent(name)}/rows`
  /** @type {Rows} */
  const found = await readJson(`${path}?page=${page}&per_page=${pageSize}`)
  return {
    title: `Table ${name}`,
    content: [
      element(
        "p",
        { class: "back" },
        element("a", { href: `#/databases/${id}` }, `Database ${found.name}`),
      ),
      table({
        caption: `Rows of ${name}`,
        hideCaption: true,
        columns: found.columns.map((column) => ({
          title: column.name,
          code: true,
          number: isNumber(column),
        })),
        rows: found.rows.map((row) => row.map(show)),
        empty: found.total === 0 ? "This table is empty." : "There are no more rows.",
      }),
      pages(id, name, found),
      element(
        "p",
        { class: "hint" },
        "This page is read-only. Rows are sorted newest first, in a table without a rowid by primary key.",
      ),
    ],
  }
}

/** @param {Column} column */
function isNumber({ type }) {
  return /INT|REAL|NUMERIC/i.test(type)
}

/** @param {Cell} value */
function show(value) {
  if (value === null) return element("span", { class: "null" }, "NULL")
  if (typeof value !== "object") return value
  if ("integer" in value) return value.integer
  if ("bytes" in value) return element("span", { class: "null" }, `BLOB, ${bytes(value.bytes)}`)
  return `${value.text}… (${plural(value.characters, "character")})`
}

/** @param {string} id @param {string} name @param {Rows} rows */
function pages(id, name, { page, per_page, total }) {
  const last = Math.max(1, Math.ceil(total / per_page))
  return element(
    "nav",
    { class: "pages", "aria-label": "Pages" },
    page > 1 && element("a", { href: `${address(id, name)}?page=${page - 1}` }, "Previous page"),
    element("span", {}, `${plural(total, "row")}, page ${count(page)} of ${count(last)}`),
    page < last && element("a", { href: `${address(id, name)}?page=${page + 1}` }, "Next page"),
  )
}

/** @param {string} id @param {string} name */
function address(id, name) {
  return `#/databases/${encodeURIComponent(id)}/${encodeURIComponent(name)}`
}
