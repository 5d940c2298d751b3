import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"

import { messageOf } from "../base/failure.ts"
import { adopt, planAdoption } from "../cli/repair/adopt.ts"
import { repairState } from "../cli/repair/repair-state.ts"
import type { LocalStack } from "../cli/stack/local-stack.ts"
import { refresh, up } from "../cli/stack/stack.ts"
import { accountContents } from "./testing/account-contents.ts"
import { callAccount } from "./testing/call-account.ts"
import { openAccount, stagingShaped } from "./testing/stacks/permanent-stack.ts"

const config = stagingShaped({ "accounts:routes": ["app.accounts.test/x/*"] })

/** One journey: each test continues with the stack that the previous one left. */
let account: Awaited<ReturnType<typeof openAccount>>
let local: LocalStack

beforeAll(async () => {
  account = await openAccount()
  local = await account.open("staging", config)
})

afterAll(async () => await account?.[Symbol.asyncDispose]())

async function urns(): Promise<string[]> {
  const { deployment } = await local.stack.exportStack()
  return deployment.resources.map(({ urn }: { urn: string }) => urn)
}

/** The stack as it was when its resources' logical names contained the stack's name; `HostCheck` is newer. */
async function nameAsFormerly(): Promise<void> {
  const exported = await local.stack.exportStack()
  const text = JSON.stringify(exported.deployment)
  const name =
    /(?<=urn:pulumi:[\w-]+::accounts::(?!pulumi:)(?:(?!HostCheck)[^":]|:(?!:))+::)accounts(?:-api\.staging\.accounts\.test)?(?=["-])/g
  const deployment = JSON.parse(text.replaceAll(name, "accounts-staging"))
  await local.stack.importStack({ ...exported, deployment })
}

test("logical names have nothing of the stack, physical ones follow from it", async () => {
  await up(local.stack)
  const names = (await urns())
    .filter((urn) => !urn.includes("::pulumi:pulumi:Stack::"))
    .map((urn) => urn.split("::").slice(3).join("::"))
  expect(names.filter((name) => name.includes("-staging"))).toEqual([])
  expect(await accountContents(local.cloudflare)).toMatchObject({
    databases: ["accounts-staging"],
    workers: ["accounts-staging"],
  })
})

test("a stack with the former names keeps every resource", async () => {
  await nameAsFormerly()
  expect((await urns()).filter((urn) => urn.endsWith("::accounts-staging")).length).toBeGreaterThan(
    8,
  )
  const { changes } = await up(local.stack)
  expect(changes).toEqual({ same: expect.any(Number) })
  expect((await urns()).filter((urn) => urn.endsWith("::accounts-staging"))).toEqual([
    expect.stringContaining("pulumi:pulumi:Stack::"),
  ])
})

test("a renamed stack that states its name has nothing to change", async () => {
  await local.stack.rename({ stackName: "live" })
  local = await account.open("live", { ...config, "accounts:name": "accounts-staging" })
  expect((await up(local.stack)).changes).toEqual({ same: expect.any(Number) })

  // Renamed before its names were made constant.
  await nameAsFormerly()
  expect((await up(local.stack)).changes).toEqual({ same: expect.any(Number) })
  const { same: _, ...changes } = await refresh(local.stack)
  expect(changes).toEqual({})
})

/** Creates or asks something in the account of this machine. */
function post<Result>(path: string, body: unknown, Result: z.ZodType<Result>): Promise<Result> {
  const { cloudflare } = local
  const call = { method: "POST", path: `/accounts/${cloudflare.accountId}${path}`, body } as const
  return callAccount(cloudflare, call, Result)
}

/** @returns its id */
async function createDatabase(name: string): Promise<string> {
  return (await post("/d1/database", { name }, z.object({ uuid: z.string() }))).uuid
}

function query(database: string, sql: string) {
  return post(`/d1/database/${database}/query`, { sql }, z.unknown())
}

test("a Worker, its database and the route of its host are taken over as the manual says, and stay", async () => {
  const name = "legacy"
  const uuid = await createDatabase(name)
  await query(uuid, "CREATE TABLE older (id TEXT); INSERT INTO older VALUES ('kept')")
  const { id } = await post("/workers/workers", { name }, z.object({ id: z.string() }))
  const host = "adopted.accounts.test"
  // As wrangler makes it.
  const path = `/accounts/${local.cloudflare.accountId}/workers/scripts/${name}/routes`
  const routes = [{ pattern: `${host}/*` }]
  await callAccount(local.cloudflare, { method: "PUT", path, body: routes }, z.unknown())
  const origins = {
    "accounts:apiOrigin": `https://${host}`,
    "accounts:webOrigin": `https://${host}`,
  }
  const sites = {
    ...origins,
    "accounts:cookieDomain": host,
    "accounts:trustedOrigins": [`https://${host}`],
  }
  const attached = { "accounts:name": name, "accounts:attach": "route" }
  const adopted = await account.open("adopted", stagingShaped({ ...sites, ...attached }))
  const plan = await planAdoption(adopted)
  expect(plan.missing.map((one) => one.id)).toEqual([uuid, id, expect.any(String)])
  const { state } = adopted
  expect(await adopt(adopted, plan, { state, local: true })).toHaveLength(3)

  const { changes, outputs } = await up(adopted.stack)
  expect(Object.keys(changes).toSorted()).toEqual(["create", "same", "update"])
  expect(outputs).toMatchObject({ databaseId: uuid, worker: name })
  const { databases, workers } = await accountContents(local.cloudflare)
  expect([databases, workers].flat().filter((one) => one === name)).toHaveLength(2)
  expect(await query(uuid, "SELECT id FROM older")).toMatchObject([{ results: [{ id: "kept" }] }])
  expect((await up(adopted.stack)).changes).toEqual({ same: expect.any(Number) })
})

test("a first up whose database's name is taken ends under another name, once it is repaired", async () => {
  const uuid = await createDatabase("taken")
  const open = (name: string) =>
    account.open("second", {
      ...stagingShaped(),
      "accounts:apiOrigin": "https://second.accounts.test",
      "accounts:webOrigin": "https://second.accounts.test",
      "accounts:cookieDomain": "second.accounts.test",
      "accounts:trustedOrigins": ["https://second.accounts.test"],
      "accounts:name": name,
    })
  const refusal = async ({ stack }: LocalStack) =>
    await up(stack).then(
      () => "",
      ({ cause }: Error) => messageOf(cause),
    )
  const first = await refusal(await open("taken"))
  expect(first).toContain("'taken' already exists")
  const second = await open("free")
  expect(await refusal(second)).toMatch(/never made, .* run `\.\/accounts repair` first/)
  const settled = await repairState(second, {
    adopt: "./accounts adopt -s second",
    state: second.state,
  })
  expect(settled).toEqual({ adopted: [], cleared: [expect.stringContaining("DatabaseIdentity")] })
  await up(second.stack)
  const { databases, workers } = await accountContents(local.cloudflare)
  expect(databases).toEqual(expect.arrayContaining(["taken", "free"]))
  expect([workers.includes("taken"), workers.includes("free")]).toEqual([false, true])
  const sql = "SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'"
  expect(await query(uuid, sql)).toMatchObject([{ results: [] }])
})
