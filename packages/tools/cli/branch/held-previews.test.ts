import { writeFileSync } from "node:fs"
import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, expect, test, vi } from "vitest"
import { stringify } from "yaml"

import { startProviderUnderTest } from "../../deploy/testing/provider-under-test.ts"
import { warningOfRoom, openPreviewAccount, stackOfName } from "./held-previews.ts"

const { cloudflare, account } = await startProviderUnderTest()
afterAll(() => vi.unstubAllEnvs())

test("a name is a preview's only if the template makes it of a branch", () => {
  const usual = "accounts-preview-a-branch"
  expect(stackOfName("accounts-preview-main", usual)).toBe("preview-main")
  expect(stackOfName("accounts-preview-feature-login-0a1b2c", usual)).toBe(
    "preview-feature-login-0a1b2c",
  )
  for (const name of [
    "accounts-preview-",
    "accounts-preview--x",
    "accounts-preview-Main",
    "accounts-preview-main_2",
    `accounts-preview-${"x".repeat(38)}`,
    "accounts-production",
    "accounts-previews",
    "other",
  ]) {
    expect({ name, stack: stackOfName(name, usual) }).toEqual({ name, stack: undefined })
  }
  expect(stackOfName("try-main-api", "try-a-branch-api")).toBe("preview-main")
  expect(stackOfName("try-main", "try-a-branch-api")).toBeUndefined()
  expect(stackOfName("main-or-other", "a-branch-or-a-branch")).toBeUndefined()
})

test("an account that is nearly full of previews is said before another is made", () => {
  expect(warningOfRoom(224)).toBeUndefined()
  expect(warningOfRoom(225)).toContain(
    "225 previews, each with a cron trigger, of which Workers Paid allows 250",
  )
})

test("an account's previews are found on every page, what lasts is none, and what others made is doubtful", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "held-"))
  const template = join(directory.path, "preview.yaml")
  const config = {
    "cloudflare:baseUrl": cloudflare.api,
    "accounts:environment": "preview",
    "accounts:accountId": cloudflare.accountId,
    "accounts:name": "accounts-{branch}",
    "accounts:zone": "accounts.test",
    "accounts:apiOrigin": "https://api-{branch}.preview.accounts.test",
    "accounts:webOrigin": "https://web-{branch}.preview.accounts.test",
  }
  writeFileSync(template, stringify({ config }))
  vi.stubEnv("CLOUDFLARE_API_TOKEN", cloudflare.token)
  const options = { state: directory.path, apiPort: 0, port: 0, engine: undefined }
  await using opened = await openPreviewAccount({ ...options, local: false, template })
  const ids: string[] = []
  for (let count = 1; count <= 101; count += 1) {
    ids.push(await account.createDatabase(`accounts-many-${count}`))
  }
  const workerId = await account.createWorker("accounts-many-101")
  await account.createDatabase("accounts-production")
  await account.createDatabase("unrelated")
  const held = await opened.held()
  expect(held.size).toBe(101)
  expect(held.has("preview-production")).toBe(false)
  const last = held.get("preview-many-101") ?? {}
  expect(last).toMatchObject({ database: { uuid: ids[100] }, worker: {} })
  expect(await opened.doubt(last)).toBe("its Worker has no tag environment=preview")
  vi.stubEnv("GITHUB_REPOSITORY", "acme/accounts")
  for (const [repository, doubt] of [
    ["acme/other", "its Worker is of the repository acme/other"],
    ["acme/accounts", undefined],
  ]) {
    const tags = ["environment=preview", `repository=${repository}`]
    await account.call("PATCH", `/workers/workers/${workerId}`, { tags })
    const again = (await opened.held()).get("preview-many-101") ?? {}
    expect(await opened.doubt(again)).toBe(doubt)
  }

  // As a run leaves it that was killed between its first two requests.
  expect(await opened.doubt(held.get("preview-many-1") ?? {})).toBeUndefined()
  // As a branch's code may name it.
  const [, second = "", third = ""] = ids
  await account.query(second, `CREATE TABLE "d1\n::migrations" (id INTEGER)`)
  expect(await opened.doubt(held.get("preview-many-2") ?? {})).toBe(
    "its database has tables that no deployment of this project made, such as d1?::migrations",
  )
  await account.query(third, "CREATE TABLE accounts_migrations (id INTEGER)")
  // Deployed, or restored there by somebody: in another repository, perhaps.
  expect(await opened.doubt(held.get("preview-many-3") ?? {})).toBe(
    "no Worker says which repository its database is of",
  )
  await account.query(ids[100] ?? "", "CREATE TABLE accounts_migrations (id INTEGER)")
  const own = (await opened.held()).get("preview-many-101") ?? {}
  expect(await opened.doubt(own)).toBeUndefined()
})
