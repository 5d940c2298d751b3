import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { processTree } from "@accounts-stack/local/cloudflare/testing/process-tree"
import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"

import { accountContents } from "./testing/account-contents.ts"
import { firedFaults, setFaults } from "./testing/faults/fault-rules.ts"
import { openStagingSite, type StagingSite } from "./testing/stacks/staging-site.ts"

/** The tests are one journey: each continues with the account and the stack that the previous one left. */
let site: StagingSite

beforeAll(async () => {
  site = await openStagingSite()
  site.configure({ "accounts:routes": ["app.staging.accounts.test/api/*"] })
})

afterAll(async () => await site?.[Symbol.asyncDispose]())

const creations = {
  database: "*/d1/database",
  Worker: "*/workers/workers",
  route: "*/workers/routes",
}

/** Applies the next creation of each kind, and then does this. */
async function lose(kinds: (keyof typeof creations)[], type: "reset" | "hang"): Promise<void> {
  await setFaults(
    site.cloudflare,
    kinds.map((name) => ({
      name,
      match: { surface: "api", method: "POST", path: creations[name] },
      when: { nth: 1 },
      action: { type, applied: true },
    })),
  )
}

function pendingOperations(): unknown[] {
  const file = join(site.backend, ".pulumi/stacks/accounts/staging.json")
  const State = z.object({
    checkpoint: z.object({
      latest: z.object({ pending_operations: z.array(z.unknown()).default([]) }),
    }),
  })
  return State.parse(JSON.parse(readFileSync(file, "utf8"))).checkpoint.latest.pending_operations
}

async function repaired() {
  const { stdout } = await site.checkout.succeed("repair", "-s", "staging", "--json")
  const { adopted } = z.object({ adopted: z.array(z.string()) }).parse(JSON.parse(stdout))
  return new Set(adopted.map((urn) => urn.split("::")[2]?.split(/[$:]/).at(-1)))
}

test("an up whose creations lost their answers says what they made, and repair takes it in", async () => {
  await lose(["database", "Worker"], "reset")
  const { code, stderr } = await site.up()
  expect(code).toBe(1)
  expect((await firedFaults(site.cloudflare)).toSorted()).toEqual(["Worker", "database"])
  // Otherwise a further `up` could tell.
  expect(pendingOperations()).toEqual([])
  expect(stderr).toContain("The account has this already, and the stack's state does not:\n")
  for (const kind of ["database", "Worker"]) {
    expect(stderr).toMatch(
      new RegExp(`^  ${kind} accounts-staging \\(.+\\): made by a run of this stack`, "m"),
    )
  }
  expect(stderr).toContain("To import what this stack created, run: ./accounts repair -s staging\n")
  expect(stderr).not.toContain("adopt")
  const created = [await site.idsOf("d1/database"), await site.idsOf("workers/workers")]
  expect(await repaired()).toEqual(new Set(["D1Database", "Worker"]))
  expect(pendingOperations()).toEqual([])

  await lose(["route"], "reset")
  const second = await site.up()
  expect(second.code).toBe(1)
  expect(second.stderr).toMatch(
    /^ {2}route app\.staging\.accounts\.test\/api\/\* \(.+\): made by a/m,
  )
  expect(await repaired()).toEqual(new Set(["WorkersRoute"]))
  expect(await site.up()).toMatchObject({ code: 0 })
  expect(await site.up()).toMatchObject({ code: 0, stderr: expect.stringMatching(/^0 changes/m) })
  expect([await site.idsOf("d1/database"), await site.idsOf("workers/workers")]).toEqual(created)
})

test("repair finds what was created when the command alone was killed and nothing is pending", async () => {
  site.pulumi("state", "unprotect", "--all", "--yes")
  await site.checkout.succeed("destroy", "-s", "staging", "--yes")
  await lose(["database", "Worker"], "hang")
  const child = site.checkout.spawn("up", "-s", "staging", "--yes")
  child.stdout?.resume()
  child.stderr?.resume()
  await expect
    .poll(async () => (await firedFaults(site.cloudflare)).length, { timeout: 120_000 })
    .toBe(2)
  const pid = z.number().parse(child.pid)
  const descendants = processTree(pid).filter((candidate) => candidate !== pid)
  process.kill(pid, "SIGKILL")
  await once(child, "close")
  await setFaults(site.cloudflare, [])
  // An engine that outlives the command may write that nothing is pending, or be killed by its closed
  // output before, and a plugin may wait for the answer for ever. What is written here is what it writes.
  for (const descendant of descendants) kill(descendant)
  if (lockIds().length > 0) site.pulumi("cancel", "--yes")
  const { deployment, ...rest } = JSON.parse(site.pulumi("stack", "export"))
  const input = JSON.stringify({ ...rest, deployment: { ...deployment, pending_operations: [] } })
  site.pulumi("stack", "import", { input })
  expect({ locks: lockIds(), pending: pendingOperations() }).toEqual({ locks: [], pending: [] })

  expect(await repaired()).toEqual(new Set(["D1Database", "Worker"]))
  expect(await site.up()).toMatchObject({ code: 0 })
  const { databases, workers } = await accountContents(site.cloudflare)
  expect({ databases, workers }).toEqual({
    databases: ["accounts-staging"],
    workers: ["accounts-staging"],
  })
})

/** Reorders state as the engine writes it if this resource ends last. */
function identityLast(): void {
  const exported = JSON.parse(site.pulumi("stack", "export"))
  const { resources } = exported.deployment
  const isLast = ({ type }: { type: string }) => type === "accounts:index:DatabaseIdentity"
  resources.sort((a: never, b: never) => Number(isLast(a)) - Number(isLast(b)))
  expect(isLast(resources.at(-1))).toBe(true)
  site.pulumi("stack", "import", { input: JSON.stringify(exported) })
}

function lockIds(): string[] {
  const locks = join(site.backend, ".pulumi/locks/organization/accounts/staging")
  return readdirSync(locks).filter((name) => name.endsWith(".json"))
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has exited.
  }
}

test("what is not of the stack's runs is said, stays, and does not stop another name", async () => {
  const { account } = site
  site.pulumi("state", "unprotect", "--all", "--yes")
  await site.checkout.succeed("destroy", "-s", "staging", "--yes")
  const theirs = await account.createDatabase("accounts-staging")
  await account.query(theirs, "CREATE TABLE theirs (id TEXT)")
  const { code, stderr } = await site.up()
  expect(code).toBe(1)
  expect(stderr).toContain(
    `database accounts-staging (${theirs}): it has tables already, such as theirs\n`,
  )
  expect(stderr).toContain(
    "import it with: ./accounts repair --adopt -s staging. Otherwise set accounts:name",
  )
  identityLast()
  const repair = await site.repair("--json")
  expect(JSON.parse(repair.stdout)).toMatchObject({
    adopted: expect.not.arrayContaining([expect.stringContaining("D1Database")]),
  })
  expect(repair.stderr).toContain("Left alone, since it may belong to someone else:\n")
  site.configure({ "accounts:name": "accounts-other" })
  expect(await site.up()).toMatchObject({ code: 0 })
  expect(await account.query(theirs, "SELECT * FROM theirs")).toEqual([])
})
