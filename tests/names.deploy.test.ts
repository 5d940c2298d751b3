import { afterAll, beforeAll, expect, test } from "vitest"

import type { LocalStack } from "../cli/stack/local-stack.ts"
import { refresh, up } from "../cli/stack/stack.ts"
import { accountContents } from "./testing/account-contents.ts"
import { openAccount, stagingShaped } from "./testing/permanent-stack.ts"

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

/**
 * The stack as it was when its resources' logical names contained the stack's name. `HostCheck` is
 * newer than that.
 */
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
