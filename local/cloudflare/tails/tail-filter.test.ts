import { expect, test } from "vitest"

import { Filters, Trace, passes } from "./tail-filter.ts"

const trace = Trace.parse({
  outcome: "ok",
  scriptVersion: { id: "v1" },
  logs: [{ level: "log", message: ["found", { user: "ada" }] }],
  event: {
    request: {
      url: "https://site.test/",
      method: "GET",
      headers: { "cf-connecting-ip": "127.0.0.1", "x-own": "abc" },
    },
  },
})
const cron = Trace.parse({ ...trace, logs: [], event: { cron: "* * * * *" } })

test.for([
  [[], true, true],
  [[{ outcome: ["ok", "canceled"] }], true, true],
  [[{ outcome: ["exception"] }], false, false],
  [[{ method: ["GET", "POST"] }], true, false],
  [[{ method: ["POST"] }], false, false],
  [[{ header: { key: "X-Own" } }], true, false],
  [[{ header: { key: "X-Own", query: "b" } }], true, false],
  [[{ header: { key: "X-Own", query: "d" } }], false, false],
  [[{ client_ip: ["self"] }], true, false],
  [[{ client_ip: ["192.0.2.1"] }], false, false],
  [[{ query: "ada" }], true, false],
  [[{ query: "bob" }], false, false],
  [[{ scriptVersion: "v1" }], true, true],
  [[{ scriptVersion: "v2" }], false, false],
  [[{ sampling_rate: 0.6 }], true, true],
  [[{ sampling_rate: 0.4 }], false, false],
  [[{ method: ["GET"] }, { outcome: ["exception"] }], false, false],
] as const)("the filters %j", ([filters, ofRequest, ofCron]) => {
  const parsed = Filters.parse(filters)
  expect(passes(trace, parsed, () => 0.5)).toBe(ofRequest)
  expect(passes(cron, parsed, () => 0.5)).toBe(ofCron)
})
