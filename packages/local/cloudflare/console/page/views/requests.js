import { element } from "../element.js"
import { entryList } from "../entry-list.js"
import { milliseconds, moment, shortId } from "../format.js"

/** @typedef {import("../events.js").Entry} Entry */

/** Milliseconds that fill the duration bar. */
const fullBar = 200

/** @type {import("../view.js").View} */
export const requests = {
  title: "Requests",
  async show(context) {
    return {
      content: entryList(context, {
        caption: "Requests to Workers",
        columns: [
          { title: "Time" },
          { title: "Status" },
          { title: "Method" },
          { title: "Host and path", code: true, wide: true },
          { title: "Duration", number: true },
          { title: "Worker" },
          { title: "Version" },
        ],
        cells,
        belongs: ({ event }) => event === "request",
        select: {
          label: "Status",
          options: [
            ["2", "2xx"],
            ["3", "3xx"],
            ["4", "4xx"],
            ["5", "5xx"],
          ],
          matches: ({ status }, value) => String(status).startsWith(value),
        },
        hint: "The last 1,000 requests are kept, in memory only, without query strings and with tokens in paths cut short.",
        empty:
          "No request yet. Open http://localhost:8787/api/health or any other URL of a Worker.",
      }),
    }
  },
}

/** @param {Entry} entry */
function cells({ time, status, method, host, path, ms, script, versionId }) {
  return [
    moment(time),
    statusBadge(Number(status)),
    method,
    `${host ?? ""}${path ?? ""}`,
    duration(Number(ms)),
    script ?? "no Worker",
    versionId ? shortId(versionId) : "",
  ]
}

/** @param {number} status */
export function statusBadge(status) {
  return element("span", { class: "status", "data-class": `${String(status).charAt(0)}xx` }, status)
}

/** @param {number} ms */
function duration(ms) {
  const bar = element("span", { class: "bar", "aria-hidden": "true" })
  bar.style.setProperty("--share", String(Math.min(1, ms / fullBar)))
  return element("span", { class: "duration" }, bar, milliseconds(ms))
}
