import { request } from "node:http"
import { json } from "node:stream/consumers"

import { expect, test } from "vitest"

import { localCloudflare } from "../cloudflare/testing/local-cloudflare.ts"

/** `fetch` can't set the Host header. */
function ask(api: string, headers: Record<string, string>) {
  return new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
    const sent = request(`${api}/zones`, { headers }, (response) => {
      json(response).then((body) => resolve({ status: response.statusCode, body }), reject)
    })
    sent.on("error", reject)
    sent.end()
  })
}

function errorOf(errorCode: number) {
  return expect.objectContaining({
    success: false,
    result: null,
    errors: [expect.objectContaining({ code: errorCode })],
  })
}

test("the API needs the state directory's token, listens on loopback and refuses web pages", async () => {
  await using cloudflare = await localCloudflare()
  const { api } = cloudflare
  const authorization = `Bearer ${cloudflare.token}`
  const { port } = new URL(api)

  expect(await ask(api, { authorization })).toMatchObject({ status: 200 })
  expect(await ask(api, { authorization, host: `localhost:${port}` })).toMatchObject({
    status: 200,
  })

  expect(await ask(api, {})).toEqual({ status: 400, body: errorOf(9106) })
  expect(await ask(api, { authorization: "Basic abc" })).toEqual({
    status: 400,
    body: errorOf(6003),
  })
  expect(await ask(api, { authorization: "Bearer wrong" })).toEqual({
    status: 403,
    body: errorOf(9109),
  })
  for (const host of [
    "evil.test",
    `evil.test:${port}`,
    "127.0.0.1.evil.test",
    "localhost.evil.test",
  ]) {
    expect(await ask(api, { authorization, host })).toEqual({ status: 403, body: errorOf(6003) })
  }
  const own = [`http://127.0.0.1:${port}`, `http://localhost:${port}`]
  for (const origin of ["https://evil.test", "http://localhost:3000", "null", "", ...own]) {
    expect(await ask(api, { authorization, origin })).toEqual({ status: 403, body: errorOf(6003) })
  }
})

test("the token opens one account, and the local routes need it too", async () => {
  await using cloudflare = await localCloudflare()
  const foreign = await cloudflare.request(`/accounts/${"0".repeat(32)}/d1/database`)
  expect([foreign.status, await foreign.json()]).toEqual([403, errorOf(10000)])

  const local = new URL("/local/status", cloudflare.api)
  expect((await fetch(local)).status).toBe(400)
  const authorization = `Bearer ${cloudflare.token}`
  const status = await fetch(local, { headers: { authorization } })
  expect(await status.json()).toMatchObject({ pid: process.pid, databases: [], workers: [] })
})
