import { moment } from "../format.js"
import { readJson } from "../session.js"
import { table } from "../table.js"
import { changesAccount } from "./workers.js"

/**
 * @typedef {{
 *   zones: string[],
 *   domains: { hostname: string, zone: string, script: string }[],
 *   routes: { pattern: string, zone: string, script: string | null }[],
 *   records: {
 *     name: string, zone: string, type: string, content: string, proxied: boolean, script: string | null
 *   }[],
 *   subdomains: { hostname: string, script: string }[],
 *   crons: { cron: string, script: string, next: string | null }[],
 * }} Domains
 */

/** @type {import("../view.js").View} */
export const domains = {
  title: "Domains",
  concerns: changesAccount,
  async show() {
    /** @type {Domains} */
    const {
      zones,
      domains: all,
      routes,
      records,
      subdomains,
      crons,
    } = await readJson("/local/console/domains")
    return {
      content: [
        table({
          caption: "Custom domains",
          columns: [{ title: "Host" }, { title: "Zone" }, { title: "Worker" }],
          rows: all.map(({ hostname, zone, script }) => [hostname, zone, script]),
          empty: `None. A Worker may have any hostname in ${zones.join(" and ")}.`,
        }),
        table({
          caption: "Routes, which take precedence over domains",
          columns: [{ title: "Pattern", code: true }, { title: "Zone" }, { title: "Worker" }],
          rows: routes.map(({ pattern, zone, script }) => [
            pattern,
            zone,
            script ?? "none: Workers are off",
          ]),
          empty: "None. `pulumi up` and `wrangler deploy` with `routes` create them.",
        }),
        table({
          caption: "DNS records; a route answers only where a proxied one resolves",
          columns: [
            { title: "Name" },
            { title: "Zone" },
            { title: "Record", code: true },
            { title: "Proxy" },
          ],
          rows: records.map(({ name, zone, type, content, proxied, script }) => [
            name,
            zone,
            `${type} ${content}`,
            script === null ? (proxied ? "proxied" : "DNS only") : `of the Worker ${script}`,
          ]),
          empty: "None. `POST /zones/{zone}/dns_records` creates them.",
        }),
        table({
          caption: "workers.dev",
          columns: [{ title: "Host" }, { title: "Worker" }],
          rows: subdomains.map(({ hostname, script }) => [hostname, script]),
          empty: "None. `wrangler deploy` with `workers_dev` enables a Worker’s hostname.",
        }),
        table({
          caption: "Crons, in UTC",
          columns: [
            { title: "Schedule", code: true },
            { title: "Worker" },
            { title: "Next run, local time" },
          ],
          rows: crons.map(({ cron, script, next }) => [
            cron,
            script,
            next === null ? "never" : moment(next),
          ]),
          empty: "None. `pulumi up` and `wrangler deploy` with `triggers` create them.",
        }),
      ],
    }
  },
}
