import { once } from "node:events"
import { type RequestListener, request as open } from "node:http"
import { connect } from "node:net"
import { text } from "node:stream/consumers"

import { expect, test } from "vitest"

import { serve } from "../daemon/testing/serve.ts"
import { openTestPlane, versionSpec } from "./testing/test-plane.ts"

/** A Worker behind the plane, without the edge. */
async function openWorker(code: string) {
  await using opened = new AsyncDisposableStack()
  const plane = opened.use(await openTestPlane())
  const version = versionSpec({ code })
  await plane.start(version)
  const answer: RequestListener = (request, response) =>
    void plane.serve(version.id, { request, response, url: `http://localhost${request.url}` })
  const { port } = opened.use(await serve(answer))
  const resources = opened.move()
  return { port, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

const ignoresBody = `export default { fetch: ({ method }) => new Response(method) }`
const large = "x".repeat(4 * 1024 * 1024)

test("a response is never lost when the Worker leaves the request body unread", async () => {
  await using served = await openWorker(ignoresBody)
  for (let round = 0; round < 20; round += 1) {
    const response = await fetch(`http://127.0.0.1:${served.port}`, { method: "POST", body: large })
    expect({ status: response.status, text: await response.text() }).toEqual({
      status: 200,
      text: "POST",
    })
  }
})

test("a connection stays usable after a response that left a body unread", async () => {
  await using served = await openWorker(ignoresBody)
  const socket = connect(served.port, "127.0.0.1")
  const head = "HTTP/1.1\r\nhost: localhost\r\n"
  socket.write(`POST / ${head}content-length: ${large.length}\r\n\r\n${large}`)
  socket.write(`GET / ${head}connection: close\r\n\r\n`)
  const answers = await text(socket)
  expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200"])
  expect(answers).toMatch(/\r\nGET/)
})

test("a Worker sees the encodings of the edge, and those of the client beside the request", async () => {
  await using served = await openWorker(
    `export default { fetch: ({ headers, cf }) => Response.json([headers.get("accept-encoding"), cf.clientAcceptEncoding]) }`,
  )
  const url = `http://127.0.0.1:${served.port}`
  const identity = await fetch(url, { headers: { "accept-encoding": "identity" } })
  expect(await identity.json()).toEqual(["br, gzip", "identity"])
})

test("a response streams while the request body is still being sent", async () => {
  await using served = await openWorker(
    `export default { fetch: ({ body }) => new Response(body) }`,
  )
  const request = open({ host: "127.0.0.1", port: served.port, method: "POST" })
  request.write("first,")
  const [response] = await once(request, "response")
  const heard = text(response)
  request.end(large)
  expect(await heard).toBe(`first,${large}`)
})

test("an uncaught exception is Cloudflare's error 1101; a Worker's own 500 is passed on", async () => {
  await using served = await openWorker(`export default {
    fetch({ url }) {
      if (new URL(url).searchParams.has("own")) return new Response("Internal Server Error", { status: 500 })
      throw new Error("broken")
    },
  }`)
  const ask = async (path: string, headers = {}) => {
    const response = await fetch(`http://127.0.0.1:${served.port}${path}`, { headers })
    return [response.status, response.headers.get("server"), await response.text()]
  }
  expect(await ask("/")).toEqual([500, "cloudflare", "error code: 1101"])
  expect(await ask("/", { accept: "text/html" })).toEqual([
    500,
    "cloudflare",
    expect.stringContaining("<h1>Error 1101</h1><p>Worker threw exception</p>"),
  ])
  expect(await ask("/?own")).toEqual([500, null, "Internal Server Error"])
})
