import { readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"

import { expect } from "vitest"
import * as z from "zod"

import { backendDirectory } from "../../../cli/engine/engine-environment.ts"
import type { LocalCloudflare } from "../../../cli/process/local-cloudflare.ts"
import { accountContents, emptyAccount } from "../account-contents.ts"
import { copyCheckout, type Checkout } from "../checkout.ts"
import { firedFaults, setFaults } from "../faults/fault-rules.ts"
import { importFrom } from "../import-from.ts"
import { interruptUp, killProcessTree, withContext } from "./interruption.ts"

/** Every call by which an `up` changes the account; `*` stands for any characters. */
const calls = {
  database: { method: "POST", path: "*/d1/database" },
  query: { method: "POST", path: "*/query" },
  worker: { method: "POST", path: "*/workers/workers" },
  version: { method: "POST", path: "*/versions" },
  deployment: { method: "POST", path: "*/deployments" },
  domain: { method: "PUT", path: "*/workers/domains" },
  schedules: { method: "PUT", path: "*/schedules" },
}

/** A kind of call, or the n-th query of a run. */
export type Change = Exclude<keyof typeof calls, "query"> | number

/**
 * All of them. Of the queries, those of the ledger and of the first two files: the queries of further files
 * are the same.
 */
export const changes: Change[] = [
  "database",
  1,
  2,
  3,
  4,
  5,
  "worker",
  "version",
  "deployment",
  "domain",
  "schedules",
]

/**
 * Kills an `up` at each of these changes, which is applied and never answered, until one ends by itself, and
 * then destroys what it has made.
 */
export async function expectConvergedAfter(due: Change[]): Promise<void> {
  await using checkout = copyCheckout()
  const { joinOrStart } = await importFrom(checkout, "cli/process/local-cloudflare.ts")
  const place = { state: checkout.state, apiPort: 0, port: 0 }
  const cloudflare: LocalCloudflare = await joinOrStart(place)
  try {
    await killAll(checkout, cloudflare, due)
    await expectWhole(checkout, cloudflare)
  } finally {
    await cloudflare.stop()
  }
}

async function killAll(checkout: Checkout, cloudflare: LocalCloudflare, due: Change[]) {
  // Queries read, create and write the ledger, so they are interrupted one after the other.
  const queries = due.filter((change) => typeof change === "number")
  const kinds = new Set(due.filter((change) => typeof change === "string"))
  for (;;) {
    const [query] = queries
    await hang(cloudflare, [...kinds], query)
    const { at, output } = await interruptUp(checkout, cloudflare, {
      kind: "fault",
      isDue: () => true,
      kill: killProcessTree,
    })
    // Resources are created in parallel, so more than one call may hang.
    const hung = await firedFaults(cloudflare)
    await setFaults(cloudflare, [])
    if (!at) {
      if (!/^ready /m.test(output)) throw new Error(`neither killed nor ready:\n${output}`)
      break
    }
    if (hung.includes("query")) queries.shift()
    for (const kind of kinds) if (hung.includes(kind)) kinds.delete(kind)
    // After a kill at a query, the next start has to repair without the command.
    if (at.rule !== "query") {
      await withContext(`killed at ${at.method} ${at.path}`, () =>
        succeed(checkout, "repair", "-s", "local"),
      )
    }
  }
  expect({ kinds: [...kinds], queries }).toEqual({ kinds: [], queries: [] })
}

/** Applies the next call of each kind, or the n-th query, and never answers it. */
async function hang(cloudflare: LocalCloudflare, kinds: Exclude<Change, number>[], query?: number) {
  const rule = (name: keyof typeof calls, nth: number) => ({
    name,
    match: { surface: "api", ...calls[name] },
    when: { nth },
    action: { type: "hang", applied: true },
  })
  const rules = kinds.map((name) => rule(name, 1))
  await setFaults(cloudflare, query === undefined ? rules : [...rules, rule("query", query)])
}

function succeed(checkout: Checkout, ...args: string[]) {
  return checkout.succeed(...args, "--state", checkout.state)
}

async function expectWhole(checkout: Checkout, cloudflare: LocalCloudflare) {
  const { databases, workers, domains } = await accountContents(cloudflare)
  expect({ databases, workers, domains }).toEqual({
    databases: ["accounts-local"],
    workers: ["accounts-local"],
    domains: ["localhost"],
  })
  expect((await succeed(checkout, "start", "--once")).stderr).toMatch(/0 changes/)
  // Fails if `up` makes a kind of call that `calls` does not list.
  expect(changingCalls(checkout).filter((call) => !isKnown(call))).toEqual([])
  // Files that Pulumi writes in place could be truncated.
  const state = readdirSync(backendDirectory(checkout.state), { recursive: true })
  expect(state.filter((file) => String(file).endsWith(".attrs"))).toEqual([])
  expect(state.map((file) => basename(String(file)))).toContain("local.json")
  await succeed(checkout, "destroy", "-s", "local", "--yes")
  expect(await accountContents(cloudflare)).toEqual(emptyAccount)
}

const Call = z.object({ event: z.literal("api"), method: z.string(), path: z.string() })

function changingCalls(checkout: Checkout): string[] {
  const log = readFileSync(join(checkout.state, "cloudflare", "log.ndjson"), "utf8")
  return log
    .trim()
    .split("\n")
    .map((line) => Call.safeParse(JSON.parse(line)).data)
    .flatMap((call) => (call && call.method !== "GET" ? `${call.method} ${call.path}` : []))
}

function isKnown(call: string): boolean {
  return Object.values(calls).some(
    ({ method, path }) =>
      call.startsWith(`${method} `) && call.endsWith(path.slice(path.lastIndexOf("/"))),
  )
}
