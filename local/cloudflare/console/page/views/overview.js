import { element } from "../element.js"
import { bytes, count, moment, percent, shortId } from "../format.js"
import { readJson } from "../session.js"
import { facts, table } from "../table.js"
import { changesAccount } from "./workers.js"

/**
 * @typedef {{ id: string, number: number, percentage: number, running: boolean }} LiveVersion
 * @typedef {{
 *   pid: number, api: string, edge: string, edgeTls: string, startedAt: string,
 *   databases: { id: string, name: string, bytes: number }[],
 *   workers: { id: string, name: string, hostnames: string[], versions: LiveVersion[] }[],
 *   processes: { name: string, pid: number, residentBytes: number }[],
 *   failed: { script: string, versionId: string, message: string }[],
 *   counts: Record<string, number>,
 * }} Status
 */

/** @type {import("../view.js").View} */
export const overview = {
  title: "Overview",
  concerns: changesAccount,
  async show() {
    /** @type {Status} */
    const status = await readJson("/local/status")
    const { pid, api, edge, edgeTls, startedAt, databases, workers, processes, failed } = status
    return {
      content: [
        ...failed.map(({ script, message }) =>
          element("p", { class: "notice" }, `${script} does not start: ${message}`),
        ),
        facts([
          ["Workers over HTTP", element("code", {}, edge)],
          ["Workers over HTTPS", element("code", {}, edgeTls)],
          ["Cloudflare’s API", element("code", {}, api)],
          ["Running since", [moment(startedAt), ` as process ${pid}`]],
        ]),
        table({
          caption: "Workers",
          columns: [{ title: "Name" }, { title: "Answers at" }, { title: "Traffic" }],
          rows: workers.map(({ name, hostnames, versions }) => [
            element("a", { href: `#/workers/${encodeURIComponent(name)}` }, name),
            hostnames.join(", ") || "no domain",
            traffic(versions),
          ]),
          empty:
            "No Worker yet. `npm start` deploys this project’s; `pulumi up` and wrangler deploy others.",
        }),
        table({
          caption: "Databases",
          columns: [{ title: "Name" }, { title: "Size", number: true }],
          rows: databases.map((database) => [
            element("a", { href: `#/databases/${database.id}` }, database.name),
            bytes(database.bytes),
          ]),
          empty: "No database yet. `npm start` creates this project’s.",
        }),
        table({
          caption: "workerd processes",
          columns: [
            { title: "Name" },
            { title: "Process id", number: true },
            { title: "Memory", number: true },
          ],
          rows: processes.map(({ name, pid: process, residentBytes }) => [
            name,
            process,
            bytes(residentBytes),
          ]),
          empty: "No process is running.",
        }),
        table({
          caption: "Events since start-up",
          columns: [{ title: "Kind" }, { title: "Count", number: true }],
          rows: Object.entries(status.counts).map(([kind, amount]) => [kind, count(amount)]),
          empty: "No events yet.",
        }),
      ],
    }
  },
}

/** @param {LiveVersion[]} versions */
function traffic(versions) {
  if (versions.length === 0) return "not deployed"
  return element(
    "span",
    { class: "shares" },
    ...versions.map(({ id, number, percentage, running }) =>
      element(
        "span",
        {},
        `${percent(percentage)} version ${number} `,
        shortId(id),
        running ? "" : ", not running",
      ),
    ),
  )
}
