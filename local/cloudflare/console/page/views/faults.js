import { methodAndPath, moment } from "../format.js"
import { readJson } from "../session.js"
import { table } from "../table.js"

/**
 * @typedef {{
 *   name: string,
 *   match: { surface: string } & Record<string, unknown>,
 *   when?: Record<string, unknown>,
 *   action: { type: string } & Record<string, unknown>,
 *   seen?: number,
 *   fired?: number,
 * }} Rule
 */

/** @type {import("../view.js").View} */
export const faults = {
  title: "Faults",
  concerns: ({ event }) => event === "fault" || event === "problem",
  async show({ events }) {
    /** @type {{ faults?: Rule[] }} */
    const { faults: rules = [] } = await readJson("/local/status")
    const fired = events
      .entries()
      .filter(({ event }) => event === "fault")
      .toReversed()
    const problems = events
      .entries()
      .filter(({ event }) => event === "problem")
      .toReversed()
    return {
      content: [
        table({
          caption: "Active rules",
          columns: [
            { title: "Rule" },
            { title: "Fired", number: true },
            { title: "Matched", number: true },
            { title: "Where" },
            { title: "When" },
            { title: "Fault", wide: true },
          ],
          rows: rules.map((rule) => [
            rule.name,
            rule.fired,
            rule.seen,
            inWords(rule.match.surface, rule.match, "surface"),
            inWords("", rule.when ?? {}),
            inWords(rule.action.type in rule.action ? "" : rule.action.type, rule.action, "type"),
          ]),
          empty: "No faults are injected. `./accounts local fault add` adds a rule.",
        }),
        table({
          caption: "Injected faults, newest first",
          columns: [
            { title: "Time" },
            { title: "Rule" },
            { title: "Fault" },
            { title: "Where" },
            { title: "Request", code: true, wide: true },
          ],
          rows: fired.map((entry) => [
            moment(entry.time),
            entry.rule,
            entry.action,
            entry.surface,
            methodAndPath(entry),
          ]),
          empty: "No rule has fired.",
        }),
        table({
          caption: "Problems of the local Cloudflare",
          columns: [{ title: "Time" }, { title: "Message", code: true, wide: true }],
          rows: problems.map(({ time, message }) => [moment(time), message]),
          empty: "No problems.",
        }),
      ],
    }
  },
}

/** @param {string} first @param {Record<string, unknown>} rest @param {string} [without] */
function inWords(first, rest, without) {
  const others = Object.entries(rest)
    .filter(([name, value]) => name !== without && !isNothing(value))
    .map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`)
  return [first, ...others].filter(Boolean).join(", ")
}

/** @param {unknown} value */
function isNothing(value) {
  return value === undefined || value === false || JSON.stringify(value) === "{}"
}
