import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest"
import * as z from "zod"

import { program } from "../../../infra/index.ts"
import { messageOf } from "../base/failure.ts"
import { openDatabaseToAdopt, createDatabase } from "../cli/database/d1-account.ts"
import { backendDirectory } from "../cli/engine/engine-environment.ts"
import { repairLocalStack } from "../cli/repair/repair.ts"
import { withStackLock } from "../cli/stack/hold.ts"
import { createApi } from "../deploy/api.ts"
import { seal } from "./testing/stacks/stack-key.ts"
import {
  openDeployed,
  openStacks,
  stagingShaped,
  type TestStack,
  type TestStacks,
} from "./testing/stacks/test-stacks.ts"

const State = z.looseObject({
  resources: z.array(
    z.looseObject({
      urn: z.string(),
      id: z.string().optional(),
      type: z.string(),
      protect: z.boolean().default(false),
      inputs: z.record(z.string(), z.unknown()).default({}),
      outputs: z.record(z.string(), z.unknown()).default({}),
    }),
  ),
})

const Databases = z.array(z.object({ uuid: z.string() }))

const config = stagingShaped({ "accounts:location": "weur" })
const { "accounts:location": _, ...withoutLocation } = config

/** The tests are one journey: each continues with the stack that the previous one left. */
let stacks: TestStacks

beforeAll(async () => {
  stacks = await openStacks()
  await (await open(config)).up()
})

afterAll(async () => await stacks?.[Symbol.asyncDispose]())

function open(values: Record<string, unknown>): Promise<TestStack> {
  return stacks.permanent("staging", values)
}

const Lock = z.object({ pid: z.number() })

/** Lock files in the engine's format. */
function locksOf({ state, project }: TestStack) {
  const directory = join(
    backendDirectory(state),
    ".pulumi/locks/organization/accounts",
    project.stack,
  )
  return readdirSync(directory).map((name) =>
    Lock.parse(JSON.parse(readFileSync(join(directory, name), "utf8"))),
  )
}

function groupOf(pid: number): string {
  return execFileSync("ps", ["-o", "pgid=", "-p", String(pid)], { encoding: "utf8" }).trim()
}

function messageIn(act: () => void): string {
  try {
    act()
    return ""
  } catch (error) {
    return messageOf(error)
  }
}

/** Milliseconds. */
const patient = { timeout: 60_000 }

/** Contents that a lock must not change. The engine leaves out empty lists when it writes. */
async function contentsOf(local: TestStack) {
  return (await resources(local)).map(({ urn, id, protect, inputs, outputs }) => {
    return { urn, id, protect, inputs, outputs }
  })
}

async function resources({ stack }: TestStack) {
  return State.parse((await stack.exportStack()).deployment).resources
}

const purpose = "holds the stack while its database is restored"

test("no deployment starts while a restore locks the stack, which is unlocked unchanged", async () => {
  const local = await open(config)
  const secondEngine = await open(config)
  const before = await contentsOf(local)
  await withStackLock({ ...local, message: purpose }, async (hold) => {
    await expect(secondEngine.up()).rejects.toThrow(/^The stack staging is locked by process \d+/)
    await expect(secondEngine.stack.refresh()).rejects.toThrow(/currently locked/)
    expect(hold.expect).not.toThrow()
    // So that a Ctrl-C in the terminal does not reach the engine.
    const group = groupOf(process.pid)
    expect(locksOf(local).filter(({ pid }) => groupOf(pid) === group)).toEqual([])
  })
  expect(await contentsOf(local)).toEqual(before)
  const { changes, outputs } = await secondEngine.up()
  expect(changes).toEqual({})
  expect(outputs).toMatchObject({ databaseId: expect.any(String), worker: "accounts-staging" })
})

test("a restore does not begin while a deployment runs", async () => {
  const local = await open(config)
  const secondEngine = await open(config)
  let hasStarted = false
  const deploying = async () => {
    const holding = withStackLock(
      { ...secondEngine, message: purpose },
      async () => (hasStarted = true),
    )
    await expect(holding).rejects.toThrow(/^The stack staging is locked by process \d+/)
    return await program()
  }
  const { summary } = await local.stack.up({ program: deploying, suppressProgress: true })
  expect(summary.resourceChanges).toEqual({ same: expect.any(Number) })
  expect(hasStarted).toBe(false)
})

test("a restore whose engine was killed knows that it has lost the lock", async () => {
  const local = await open(config)
  const before = await contentsOf(local)
  await withStackLock({ ...local, message: purpose }, async (hold) => {
    for (const { pid } of locksOf(local)) process.kill(pid, "SIGKILL")
    await expect.poll(() => messageIn(hold.expect), patient).toMatch(/^staging is no longer held/)
  })
  await repairLocalStack(local)
  expect(await contentsOf(local)).toEqual(before)
  expect((await local.up()).changes).toEqual({})
})

test("every command has the headers that pass Access, opened with the stack's key", async () => {
  const headers = { "X-Accounts-Release": seal("k".repeat(32)) }
  const local = await open({ ...config, "accounts:trialHeaders": headers })
  await using deployed = await openDeployed(local)
  expect(deployed.address.headers).toEqual({ "x-accounts-release": "k".repeat(32) })
})

test.each([
  ["location", "accounts:location", "eeur", "accounts:location was weur and is eeur"],
  ["jurisdiction", "accounts:jurisdiction", "eu", "accounts:jurisdiction was not set and is eu"],
  ["name", "accounts:name", "other", "accounts:name was accounts-staging and is other"],
])(
  "a preview refuses another %s explicitly, without any protection",
  async (_what, key, value, message) => {
    const base = key === "accounts:jurisdiction" ? withoutLocation : config
    const local = await open({ ...base, [key]: value })
    const refusal = await local.stack.preview().then(() => "no refusal", messageOf)
    expect(refusal).toContain("the database accounts-staging would be replaced by an empty one")
    expect(refusal).toContain(message)
    expect(refusal).toContain("Put the former values back in the stack file")
  },
)

test("the location may be left out afterwards", async () => {
  expect((await (await open(withoutLocation)).up()).changes).toEqual({})
})

test("an imported database, of which no location is known, is kept", async () => {
  const local = await open(config)
  const exported = await local.stack.exportStack()
  const state = State.parse(exported.deployment)
  for (const { type, inputs, outputs } of state.resources) {
    if (!type.endsWith(":D1Database")) continue
    delete inputs["primaryLocationHint"]
    delete outputs["primaryLocationHint"]
  }
  await local.stack.importStack({ ...exported, deployment: state })
  expect((await local.up()).changes).toEqual({})
})

test("database, Worker and hostname are protected by keys of their own", async () => {
  const local = await open({
    ...config,
    "accounts:protect": true,
    "accounts:protectHostname": false,
  })
  await local.up()
  const protectedTypes = (await resources(local))
    .filter(({ protect }) => protect)
    .map(({ type }) => type)
  expect(protectedTypes.toSorted()).toEqual([
    "cloudflare:index/d1Database:D1Database",
    "cloudflare:index/worker:Worker",
  ])
})

test("before the first deployment, the database to adopt is found by its name", async () => {
  const { cloudflare, state } = await open(config)
  const options = { stack: "local", local: true, state, apiPort: 0, port: 0, engine: undefined }
  await expect(openDatabaseToAdopt(options)).rejects.toThrow("no database accounts-local to adopt")
  const { api: baseUrl, token, accountId } = cloudflare
  const databaseId = await createDatabase(
    { api: createApi({ baseUrl, token }), accountId },
    { name: "accounts-local" },
  )
  await using adopted = await openDatabaseToAdopt(options)
  expect(adopted.database).toMatchObject({ databaseId })
})

test("the engine alone makes no other database in the place of one that is gone", async () => {
  const local = await open(config)
  await local.up()
  const list = async () =>
    Databases.parse(await local.account.call("GET", "/d1/database?name=accounts-staging"))
  const [database] = await list()
  await local.account.call("DELETE", `/d1/database/${database?.uuid}`)
  // As `pulumi up` runs it: no command reads its plan, and the engine starts the providers itself.
  vi.stubEnv("PULUMI_DEBUG_PROVIDERS", "")
  onTestFinished(() => void vi.unstubAllEnvs())
  await expect(local.stack.up({ program })).rejects.toThrow(
    /of this permanent environment is gone.*--recreate-database/,
  )
  expect(await list()).toEqual([])
})
