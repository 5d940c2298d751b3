import { element } from "../element.js"
import { entryList } from "../entry-list.js"
import { milliseconds, moment, hostAndPath } from "../format.js"
import { statusBadge } from "./requests.js"

/** @typedef {import("../events.js").Entry} Entry */

const kinds = [
  "api",
  "deployment",
  "cron",
  "worker",
  "fault",
  "unknown-route",
  "unknown-input",
  "problem",
]

/** @type {import("../view.js").View} */
export const log = {
  title: "Log",
  async show(context) {
    return {
      content: entryList(context, {
        caption: "Other events",
        columns: [
          { title: "Time" },
          { title: "Kind" },
          { title: "Status" },
          { title: "Method" },
          { title: "Details", code: true, wide: true },
          { title: "Client" },
          { title: "Duration", number: true },
        ],
        cells,
        belongs: ({ event }) => event !== "request",
        select: {
          label: "Kind",
          options: kinds.map((kind) => [kind, kind]),
          matches: ({ event }, value) => event === value,
        },
        hint: "API calls, deployments, crons, faults and problems. `./accounts local log --follow` prints them in a terminal.",
        empty: "No events yet.",
      }),
    }
  },
}

/** @param {Entry} entry */
function cells(entry) {
  const { time, event, status, ms } = entry
  return [
    moment(time),
    element("span", { class: "kind", "data-kind": event }, event),
    status === undefined ? "" : statusBadge(status),
    entry.method,
    describe(entry),
    client(entry),
    ms === undefined ? "" : milliseconds(ms),
  ]
}

const named = new Set(
  "time event status ms method host path script message versions deploymentId userAgent".split(" "),
)

/** Known fields first, then all others, so that new kinds of entries show everything. @param {Entry} entry */
function describe(entry) {
  const { script, message, versions, deploymentId } = entry
  const parts = [
    hostAndPath(entry),
    script,
    deploymentId && `deployment ${deploymentId.slice(0, 8)}`,
    message,
    versions?.map(share).join(", "),
    ...Object.entries(entry)
      .filter(([name]) => !named.has(name))
      .map(([name, value]) => `${name}: ${plain(value)}`),
  ]
  return parts.filter(Boolean).join(" · ")
}

/** The first name in the User-Agent: browsers send half a dozen. @param {Entry} entry */
function client({ userAgent = "" }) {
  return element("span", { title: userAgent }, userAgent.split(" ")[0] ?? "")
}

/** @param {{ version_id: string, percentage: number }} version */
function share({ version_id, percentage }) {
  return `${percentage} % ${version_id.slice(0, 8)}`
}

/** @param {unknown} value */
function plain(value) {
  return typeof value === "string" ? value : JSON.stringify(value)
}
