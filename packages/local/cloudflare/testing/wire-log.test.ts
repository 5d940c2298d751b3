import { expect, test } from "vitest"

import type { Exchange } from "../contract/testing/exchange.ts"
import { wireLog } from "./wire-log.ts"

test("concurrent calls of wrangler are logged in one order, whichever arrives first", () => {
  const atOnce = [
    called("PUT", "/workers/scripts/wire/routes"),
    called("PUT", "/workers/scripts/wire/schedules"),
    called("POST", "/workers/scripts/wire/domains/changeset"),
  ]
  expect(wireLog(atOnce.toReversed())).toBe(wireLog(atOnce))
})

test("sequential calls are logged in the order in which they were made", () => {
  const upload = called("PUT", "/workers/scripts/wire")
  const subdomain = called("POST", "/workers/scripts/wire/subdomain")
  expect(wireLog([upload, subdomain])).not.toBe(wireLog([subdomain, upload]))
})

function called(method: string, path: string): Exchange {
  return {
    time: "2026-11-01T00:00:00.000Z",
    userAgent: "",
    method,
    path: `/client/v4/accounts/account${path}`,
    query: [],
    request: null,
    status: 200,
    response: { type: "application/json", json: { success: true, result: null } },
  }
}
