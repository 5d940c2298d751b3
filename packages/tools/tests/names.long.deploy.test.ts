import { afterAll, beforeAll, expect, test } from "vitest"

import { messageOf } from "../base/failure.ts"
import { repairState } from "../cli/repair/repair-state.ts"
import { adopt, planAdoption } from "../cli/repair/repair.ts"
import { accountContents } from "./testing/account-contents.ts"
import {
  openStacks,
  servedAt,
  stagingShaped,
  type TestStack,
  type TestStacks,
} from "./testing/stacks/test-stacks.ts"

const config = stagingShaped({ "accounts:routes": ["app.accounts.test/x/*"] })

/** The tests are one journey: each continues with the stack that the previous one left. */
let stacks: TestStacks
let local: TestStack

beforeAll(async () => {
  stacks = await openStacks()
  local = await stacks.permanent("staging", config)
})

afterAll(async () => await stacks?.[Symbol.asyncDispose]())

async function urns(): Promise<string[]> {
  const { deployment } = await local.stack.exportStack()
  return deployment.resources.map(({ urn }: { urn: string }) => urn)
}

test("logical names have nothing of the stack, physical ones follow from it", async () => {
  await local.up()
  const names = (await urns())
    .filter((urn) => !urn.includes("::pulumi:pulumi:Stack::"))
    .map((urn) => urn.split("::").slice(3).join("::"))
  expect(names.filter((name) => name.includes("-staging"))).toEqual([])
  expect(await accountContents(local.cloudflare)).toMatchObject({
    databases: ["accounts-staging"],
    workers: ["accounts-staging"],
  })
})

test("a renamed stack that states its name has nothing to change", async () => {
  await local.stack.rename({ stackName: "live" })
  local = await stacks.permanent("live", { ...config, "accounts:name": "accounts-staging" })
  expect((await local.up()).changes).toEqual({})
  expect(await local.refresh()).toEqual({})
})

test("a Worker, its database and the route of its host are taken over as the manual says, and stay", async () => {
  const name = "legacy"
  const { account } = local
  const uuid = await account.createDatabase(name)
  await account.query(uuid, "CREATE TABLE older (id TEXT); INSERT INTO older VALUES ('kept')")
  const id = await account.createWorker(name)
  const host = "adopted.accounts.test"
  await account.setRoutes(name, `${host}/*`)
  const attached = { "accounts:name": name, "accounts:attach": "route" }
  const adopted = await stacks.permanent(
    "adopted",
    stagingShaped({ ...servedAt(`https://${host}`), ...attached }),
  )
  const plan = await planAdoption(adopted)
  expect(plan.missing.map((resource) => resource.id)).toEqual([uuid, id, expect.any(String)])
  const { state } = adopted
  expect(await adopt(adopted, plan, { state, local: true })).toHaveLength(3)

  const { changes, outputs } = await adopted.up()
  expect(Object.keys(changes).toSorted()).toEqual(["create", "update"])
  expect(outputs).toMatchObject({ databaseId: uuid, worker: name })
  const { databases, workers } = await accountContents(local.cloudflare)
  expect([databases, workers].flat().filter((candidate) => candidate === name)).toHaveLength(2)
  expect(await account.query(uuid, "SELECT id FROM older")).toEqual([{ id: "kept" }])
  expect((await adopted.up()).changes).toEqual({})
})

test("a first up whose database's name is taken ends under another name, once it is repaired", async () => {
  const uuid = await local.account.createDatabase("taken")
  const open = (name: string) =>
    stacks.permanent("second", {
      ...stagingShaped(servedAt("https://second.accounts.test")),
      "accounts:name": name,
    })
  const refusal = async (stack: TestStack) =>
    await stack.up().then(
      () => "",
      ({ cause }: Error) => messageOf(cause),
    )
  const first = await refusal(await open("taken"))
  expect(first).toContain("'taken' already exists")
  const second = await open("free")
  expect(await refusal(second)).toMatch(/never made, .* run `\.\/accounts repair` first/)
  const settled = await repairState(second, { stack: "second", local: true, state: second.state })
  expect(settled).toEqual({ adopted: [], cleared: [expect.stringContaining("DatabaseIdentity")] })
  await second.up()
  const { databases, workers } = await accountContents(local.cloudflare)
  expect(databases).toEqual(expect.arrayContaining(["taken", "free"]))
  expect([workers.includes("taken"), workers.includes("free")]).toEqual([false, true])
  const sql = "SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'"
  expect(await local.account.query(uuid, sql)).toEqual([])
})
