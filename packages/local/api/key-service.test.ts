import { expect, test } from "vitest"

import { localCloudflare } from "../cloudflare/testing/local-cloudflare.ts"

test("what the key service seals it opens on this machine, without a token, but for no web page", async () => {
  await using cloudflare = await localCloudflare()
  const ask = async (action: string, body: object, headers: Record<string, string> = {}) => {
    const url = new URL(`/local/key-service/v1/transit/${action}`, cloudflare.api)
    const answer = await fetch(url, { method: "PUT", body: JSON.stringify(body), headers })
    return { status: answer.status, body: await answer.json() }
  }
  const plaintext = Buffer.from("a data key").toString("base64")
  const ciphertext = `vault:v1:${plaintext}`

  expect(await ask("encrypt/local", { plaintext })).toEqual({
    status: 200,
    body: { data: { ciphertext } },
  })
  expect(await ask("decrypt/local", { ciphertext })).toEqual({
    status: 200,
    body: { data: { plaintext } },
  })
  expect(await ask("decrypt/local", { ciphertext: "vault:v2:?" })).toMatchObject({ status: 400 })
  const foreign = { origin: "https://evil.test" }
  expect(await ask("decrypt/local", { ciphertext }, foreign)).toMatchObject({ status: 403 })
  // Any other route below it is one of those that need the token.
  expect(await ask("decrypt/production", { ciphertext })).toMatchObject({ status: 400 })
})
