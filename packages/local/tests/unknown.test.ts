import { readFile } from "node:fs/promises"
import { join } from "node:path"

import { expect, test } from "vitest"

import { localCloudflare } from "../cloudflare/testing/local-cloudflare.ts"

test("an unknown route, field or parameter is rejected, logged and counted", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId } = cloudflare
  const send = async (path: string, init?: RequestInit) => {
    const response = await cloudflare.request(path, init)
    return [response.status, await response.json()]
  }
  const error = (errorCode: number, message: RegExp) => ({
    success: false,
    errors: [{ code: errorCode, message: expect.stringMatching(message) }],
  })

  expect(await send(`/accounts/${accountId}/r2/buckets`)).toMatchObject([
    501,
    error(7000, /GET .*r2/),
  ])
  expect(await send(`/accounts/${accountId}/r2/buckets`, { method: "POST" })).toMatchObject([
    501,
    error(7000, /POST .*r2.*ACCOUNTS_PROVIDER=stand-in/),
  ])
  const database = `/accounts/${accountId}/d1/database`
  const body = JSON.stringify({ name: "x", colour: "red" })
  expect(await send(database, { method: "POST", body })).toMatchObject([400, error(7400, /colour/)])
  expect(await send(`${database}?sort=up`)).toMatchObject([400, error(7400, /sort/)])
  expect(await send(database, { method: "POST", body: "{" })).toMatchObject([
    400,
    error(6007, /JSON/),
  ])

  const status = await cloudflare.request("/../../local/status")
  expect(await status.json()).toMatchObject({ counts: { "unknown-route": 2, "unknown-input": 2 } })
  const log = await readFile(join(cloudflare.directory, "cloudflare", "log.ndjson"), "utf8")
  expect(log).toContain(
    `"event":"unknown-route","method":"GET","path":"/client/v4/accounts/${accountId}/r2/buckets"`,
  )
  expect(log).not.toContain(cloudflare.token)
})

test("events arrive while requests are handled", async () => {
  await using cloudflare = await localCloudflare()
  const response = await cloudflare.request("/../../local/events")
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  await cloudflare.request("/zones?name=localhost")
  let text = ""
  while (!text.includes("/client/v4/zones")) text += (await reader?.read())?.value ?? ""
  expect(text).toMatch(
    /event: api\ndata: .*"method":"GET","path":"\/client\/v4\/zones","status":200/,
  )
  await reader?.cancel()
})
