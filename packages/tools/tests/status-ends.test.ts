import { once } from "node:events"
import { createServer } from "node:tls"

import { expect, test } from "vitest"

import { createRoot, issuerOf } from "../../local/edge/issuing.ts"
import { certificateUntil } from "../cli/status/examine-stack.ts"
import { lastsUntil } from "../cli/token-expiry.ts"

test("a certificate is read at its host, and an untrusted one is an error", async () => {
  const root = await createRoot()
  const issue = await issuerOf(root)
  const server = createServer(await issue("localhost")).listen(0, "127.0.0.1")
  await once(server, "listening")
  using _closed = { [Symbol.dispose]: () => void server.close() }
  const address = server.address()
  const port = typeof address === "object" ? address?.port : undefined
  const url = new URL(`https://localhost:${port}`)
  const until = await certificateUntil(url, root.cert)
  expect(lastsUntil(until)).toMatchObject({ state: "ok" })
  await expect(certificateUntil(url)).rejects.toThrow("unable to verify")
})

test.each([
  [undefined, "ok"],
  ["2026-12-20T00:00:00Z", "ok"],
  ["2026-11-30T00:00:00Z", "wrong"],
  ["2026-11-01T00:00:00Z", "wrong"],
])("what ends at %s is %s two weeks before", (until, state) => {
  const now = new Date("2026-11-24T00:00:00Z")
  const date = until === undefined ? undefined : new Date(until)
  expect(lastsUntil(date, now)).toMatchObject({ state })
})
