import { readFileSync, readdirSync } from "node:fs"
import { basename, join } from "node:path"

import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"

import { backendDirectory } from "../cli/engine/engine-environment.ts"
import type { LocalCloudflare } from "../cli/process/local-cloudflare.ts"
import { accountContents, emptyAccount } from "./testing/account-contents.ts"
import { copyCheckout, type Checkout } from "./testing/checkout.ts"
import { interruptUp, killProcessTree, withContext } from "./testing/engine/interruption.ts"
import { firedFaults, setFaults } from "./testing/faults/fault-rules.ts"
import { importFrom } from "./testing/import-from.ts"

/** Every call by which an `up` changes the account; `*` stands for any characters. */
const changes = {
  database: { method: "POST", path: "*/d1/database" },
  query: { method: "POST", path: "*/query" },
  worker: { method: "POST", path: "*/workers/workers" },
  version: { method: "POST", path: "*/versions" },
  deployment: { method: "POST", path: "*/deployments" },
  domain: { method: "PUT", path: "*/workers/domains" },
  schedules: { method: "PUT", path: "*/schedules" },
}
type Change = keyof typeof changes

/**
 * How many queries are interrupted: those of the ledger and of the first two files. The queries of
 * further files are the same; `interrupted.soak` kills at any of them.
 */
const interruptedQueries = 5

let checkout: Checkout
let cloudflare: LocalCloudflare

beforeAll(async () => {
  checkout = copyCheckout()
  const { joinOrStart } = await importFrom(checkout, "cli/process/local-cloudflare.ts")
  cloudflare = await joinOrStart({ state: checkout.state, apiPort: 0, port: 0 })
})

afterAll(async () => {
  await cloudflare?.stop()
  await checkout?.[Symbol.asyncDispose]()
})

function command(...args: string[]) {
  return checkout.succeed(...args, "--state", checkout.state)
}

test("after a kill at any change whose answer was lost, repair and up converge, and destroy leaves nothing", async () => {
  const killedAt: string[] = []
  // Queries read, create and write the ledger, so they are interrupted one after the other.
  let queries = 0
  for (;;) {
    const left = Object.keys(changes).filter((name) => !killedAt.includes(name))
    await hang(left.filter(isChange), queries + 1)
    const { at, output } = await interruptUp(checkout, cloudflare, {
      kind: "fault",
      isDue: () => true,
      kill: killProcessTree,
    })
    // Resources are created in parallel, so more than one call may hang.
    const hung = await firedFaults(cloudflare)
    await hang([], 0)
    if (!at) {
      if (!/^ready /m.test(output)) throw new Error(`neither killed nor ready:\n${output}`)
      break
    }
    if (hung.includes("query")) queries += 1
    killedAt.push(...hung.filter((name) => name !== "query"))
    // After a kill at a query, the next start has to repair without the command.
    if (at.rule !== "query") {
      await withContext(`killed at ${at.method} ${at.path}`, () => command("repair", "-s", "local"))
    }
  }
  expect(killedAt.toSorted()).toEqual(
    Object.keys(changes)
      .filter((name) => name !== "query")
      .toSorted(),
  )
  expect(queries).toBe(interruptedQueries)

  const { databases, workers, domains } = await accountContents(cloudflare)
  expect({ databases, workers, domains }).toEqual({
    databases: ["accounts-local"],
    workers: ["accounts-local"],
    domains: ["localhost"],
  })
  expect((await command("start", "--once")).stderr).toMatch(/0 changes/)
  // Fails if `up` makes a kind of call that `changes` does not list.
  expect(changingCalls().filter((call) => !isInterrupted(call))).toEqual([])
  // Files that Pulumi writes in place could be truncated.
  const state = readdirSync(backendDirectory(checkout.state), { recursive: true })
  expect(state.filter((file) => String(file).endsWith(".attrs"))).toEqual([])
  expect(state.map((file) => basename(String(file)))).toContain("local.json")
  await command("destroy", "-s", "local", "--yes")
  expect(await accountContents(cloudflare)).toEqual(emptyAccount)
})

function isChange(name: string): name is Change {
  return name in changes
}

/** Applies the next call of each kind, or the n-th query, and never answers it. */
async function hang(kinds: Change[], query: number): Promise<void> {
  const due = kinds.filter((name) => name !== "query" || query <= interruptedQueries)
  const rules = due.map((name) => ({
    name,
    match: { surface: "api", ...changes[name] },
    when: { nth: name === "query" ? query : 1 },
    action: { type: "hang", applied: true },
  }))
  await setFaults(cloudflare, rules)
}

const Call = z.object({ event: z.literal("api"), method: z.string(), path: z.string() })

function changingCalls(): string[] {
  const log = readFileSync(join(checkout.state, "cloudflare", "log.ndjson"), "utf8")
  return log
    .trim()
    .split("\n")
    .map((line) => Call.safeParse(JSON.parse(line)).data)
    .flatMap((call) => (call && call.method !== "GET" ? `${call.method} ${call.path}` : []))
}

function isInterrupted(call: string): boolean {
  return Object.values(changes).some(
    ({ method, path }) =>
      call.startsWith(`${method} `) && call.endsWith(path.slice(path.lastIndexOf("/"))),
  )
}
