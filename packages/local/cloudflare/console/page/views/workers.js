import { element } from "../element.js"
import { milliseconds, moment, percent, plural, shortId } from "../format.js"
import { readJson } from "../session.js"
import { facts, table } from "../table.js"

/**
 * @typedef {{ name: string, type: string, value: string | null }} Binding
 * @typedef {{
 *   id: string, number: number, createdOn: string, source: string, tag: string, message: string,
 *   startupMilliseconds: number, compatibilityDate: string, compatibilityFlags: string[],
 *   modules: string[], percentage: number | null, running: boolean,
 *   failure: string | null, bindings: Binding[],
 * }} Version
 * @typedef {{
 *   id: string, createdOn: string, source: string, message: string,
 *   versions: { id: string, percentage: number }[],
 * }} Deployment
 * @typedef {{
 *   id: string, name: string, createdOn: string, tags: string[], hostnames: string[],
 *   routes: string[], crons: string[], versionCount: number, versions: Version[],
 *   deployments: Deployment[],
 * }} Worker
 */

/** @param {import("../events.js").Entry} entry */
function changesAccount({ event, method, status }) {
  if (event === "deployment" || event === "cron" || event === "problem") return true
  return event === "api" && method !== "GET" && Number(status) < 400
}

/** @type {import("../view.js").View} */
export const workers = {
  title: "Workers",
  concerns: changesAccount,
  async show({ parts: [name] }) {
    /** @type {{ workers: Worker[] }} */
    const { workers: all } = await readJson("/local/console/workers")
    const found = all.find((worker) => worker.name === name)
    if (found !== undefined) return { title: `Worker ${found.name}`, content: describe(found) }
    return {
      content: [
        ...(name === undefined
          ? []
          : [element("p", { class: "notice" }, `The Worker ${name} does not exist.`)]),
        ...all.flatMap(failures),
        table({
          caption: "Workers of this account",
          hideCaption: true,
          columns: [
            { title: "Name" },
            { title: "Answers at" },
            { title: "Traffic" },
            { title: "Versions", number: true },
            { title: "Last deployed" },
          ],
          rows: all.map((worker) => [
            element("a", { href: `#/workers/${encodeURIComponent(worker.name)}` }, worker.name),
            [...worker.hostnames, ...worker.routes].join(", ") || "nowhere yet",
            trafficBar(worker),
            worker.versionCount,
            worker.deployments[0] ? moment(worker.deployments[0].createdOn) : "never",
          ]),
          empty:
            "No Worker yet. `npm start` deploys this project’s; `pulumi up` and wrangler deploy others.",
        }),
      ],
    }
  },
}

/** @param {Worker} worker */
function live({ versions }) {
  return versions.filter(({ percentage }) => percentage !== null)
}

/** @param {Worker} worker */
function failures({ name, versions }) {
  return versions
    .filter(({ failure }) => failure !== null)
    .map(({ failure }) => element("p", { class: "notice" }, `${name} does not start: ${failure}`))
}

/** @param {Worker} worker */
function trafficBar(worker) {
  const versions = live(worker)
  if (versions.length === 0) return "not deployed"
  return element(
    "span",
    { class: "shares" },
    ...versions.map(({ number, percentage }) =>
      element("span", {}, `${percent(percentage ?? 0)} version ${number}`),
    ),
  )
}

/** @param {Worker} worker */
function describe(worker) {
  const newest = live(worker).toSorted((a, b) => b.number - a.number)[0]
  return [
    element("p", { class: "back" }, element("a", { href: "#/workers" }, "All Workers")),
    facts([
      ["Answers at", worker.hostnames.concat(worker.routes).join(", ") || "nowhere yet"],
      ["Crons", worker.crons.join(", ") || "none"],
      ["Tags", worker.tags.join(", ") || "none"],
      ["Created", moment(worker.createdOn)],
    ]),
    table({
      caption: "Versions, newest first",
      columns: [
        { title: "Version" },
        { title: "Id" },
        { title: "Traffic", number: true },
        { title: "State" },
        { title: "Created" },
        { title: "By" },
        { title: "Start-up", number: true },
        { title: "Tag and message", wide: true },
      ],
      rows: worker.versions.map((version) => [
        version.number,
        shortId(version.id),
        version.percentage === null ? "" : percent(version.percentage),
        state(version),
        moment(version.createdOn),
        version.source,
        milliseconds(version.startupMilliseconds),
        [version.tag.slice(0, 12), version.message].filter(Boolean).join(" "),
      ]),
      empty: "No version yet.",
    }),
    newest === undefined ? "" : bindingTable(newest),
    table({
      caption: "Deployments, newest first",
      columns: [
        { title: "Time" },
        { title: "Versions" },
        { title: "By" },
        { title: "Message", wide: true },
      ],
      rows: worker.deployments.map(({ createdOn, versions, source, message }) => [
        moment(createdOn),
        versions
          .map(({ id, percentage }) => `${percent(percentage)} ${nameOf(worker, id)}`)
          .join(", "),
        source,
        message,
      ]),
      empty: "No deployment yet.",
    }),
    element(
      "p",
      { class: "hint" },
      `${plural(worker.versionCount, "version")} in total. The latest 50 versions and deployments are shown, and every live version.`,
    ),
  ]
}

/** @param {Version} version */
function bindingTable({ number, bindings, compatibilityDate, compatibilityFlags, modules }) {
  const flags = compatibilityFlags.length === 0 ? "" : `, ${compatibilityFlags.join(", ")}`
  return element(
    "div",
    {},
    table({
      caption: `Bindings of version ${number}`,
      columns: [
        { title: "Name", code: true },
        { title: "Type" },
        { title: "Value", code: true, wide: true },
      ],
      rows: bindings.map(({ name, type, value }) => [
        name,
        type,
        type.startsWith("secret") ? "not shown" : value,
      ]),
      empty: "None.",
    }),
    element(
      "p",
      { class: "hint" },
      `Compatibility date ${compatibilityDate}${flags}; ${plural(modules.length, "module")}.`,
    ),
  )
}

/** @param {Version} version */
function state({ failure, running, percentage }) {
  if (failure !== null) return `does not start: ${failure}`
  if (running) return "running"
  return percentage === null ? "idle" : "not running"
}

/** @param {Worker} worker @param {string} id */
function nameOf({ versions }, id) {
  const found = versions.find((version) => version.id === id)
  return found === undefined ? id.slice(0, 8) : `version ${found.number}`
}
