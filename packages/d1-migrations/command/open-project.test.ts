import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { serve } from "@accounts-stack/local/daemon/testing/serve"
import { temporaryDirectory } from "@accounts-stack/local/daemon/testing/temporary-directory"
import { expect, test, vi } from "vitest"

import { openProject } from "./open-project.ts"

test.each([
  ["the settings name", 'account_id = "own"', "own"],
  ["only the environment names", "", "environment"],
])("the account is what %s, as in wrangler", async (_what, settings, account) => {
  await using directory = await temporaryDirectory()
  const config = join(directory.path, "wrangler.toml")
  const database = '[[d1_databases]]\nbinding = "DB"\ndatabase_id = "d1"\n'
  mkdirSync(join(directory.path, "migrations"))
  writeFileSync(join(directory.path, "migrations/0001_user.sql"), "CREATE TABLE user (id TEXT);")
  writeFileSync(config, `${settings}\n${database}`)
  vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", "environment")
  vi.stubEnv("CLOUDFLARE_API_TOKEN", "token")
  const hosts: (string | undefined)[] = []
  await using server = await serve(({ url }, response) => {
    hosts.push(url)
    response.setHeader("content-type", "application/json")
    response.end('{"success":true,"errors":[],"result":[{"success":true,"results":[]}]}')
  })
  using _environment = { [Symbol.dispose]: () => vi.unstubAllEnvs() }
  const opened = await openProject({ config, api: server.url })
  await opened.database.ask("SELECT 1")
  expect(hosts).toEqual([`/accounts/${account}/d1/database/d1/query`])
})
