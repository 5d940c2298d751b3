import { once } from "node:events"
import { readFileSync } from "node:fs"
import { type ClientRequest, createServer, request as open } from "node:http"
import { Agent, request as openSecure } from "node:https"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"
import { buffer } from "node:stream/consumers"

import { expect, test } from "vitest"

import type { Plane, VersionSpec } from "../plane/plane.ts"
import { openTestPlane, until, versionSpec } from "../plane/testing/test-plane.ts"
import { openAuthority } from "./authority.ts"
import { openEdgeListeners } from "./edge.ts"
import { isRouted } from "./routing-table.ts"

type TestPlane = Awaited<ReturnType<typeof openTestPlane>>

type RequestOptions = { servername?: string; method?: string; headers?: Record<string, string> }

/** Both listeners, in front of one version that serves all hosts of `site.test`. */
async function openTestEntrances(
  plane: TestPlane,
  { id }: VersionSpec,
  port = 0,
  edge: Omit<Parameters<typeof openEdgeListeners>[0]["edge"], "onRequest"> = edgeOf(plane, id),
) {
  const authority = await openAuthority(`${plane.directory}/authority`)
  const log: string[] = []
  const statuses: number[] = []
  const listeners = await openEdgeListeners({
    http: 0,
    https: { port, required: false },
    authority,
    edge: { ...edge, onRequest: ({ status }) => statuses.push(status) },
    routes: (hostname) => isRouted(edgeOf(plane, id).table(), hostname),
    onLog: (line) => log.push(line),
  })
  const agent = new Agent({ ca: readFileSync(authority.file), keepAlive: true })
  return {
    ...listeners,
    log,
    statuses,
    open: (
      path: string,
      { servername = "a.site.test", method = "GET", headers = {} }: RequestOptions = {},
    ) =>
      openSecure({
        host: "127.0.0.1",
        port: listeners.https,
        path,
        servername,
        agent,
        method,
        headers: { host: "a.site.test", ...headers },
      }),
    async [Symbol.asyncDispose]() {
      agent.destroy()
      await listeners.close()
    },
  }
}

function edgeOf(plane: Plane, versionId: string) {
  return {
    plane,
    table: () => ({
      domains: new Map(),
      routes: [{ pattern: "*site.test/*", script: "site" }],
      zones: new Map(),
      scripts: new Map([
        [
          "site",
          {
            versions: [{ versionId, percentage: 100 }],
            workersDev: false,
            previews: false,
            uploaded: [versionId],
          },
        ],
      ]),
    }),
    wake: async () => {},
    onRequest: () => {},
  }
}

function answer(request: ClientRequest, body?: Uint8Array) {
  return new Promise<{ status: number; body: Buffer }>((resolve, reject) => {
    request.on("response", (response) => {
      buffer(response).then(
        (content) => resolve({ status: response.statusCode ?? 0, body: content }),
        reject,
      )
    })
    request.on("error", reject).end(body)
  })
}

const echo = versionSpec({
  code: `export default {
    async fetch({ url, headers, cf, body }) {
      if (body) return new Response(body)
      return Response.json({ url, headers: Object.fromEntries(headers), tls: [cf.tlsVersion, cf.tlsCipher] })
    },
  }`,
})

test("over HTTPS a Worker sees what production would show it", async () => {
  await using plane = await openTestPlane()
  await plane.start(echo)
  await using listeners = await openTestEntrances(plane, echo)
  const host = `A.site.test:${listeners.https}`
  const { status, body } = await answer(
    listeners.open("//x/../y?z", { headers: { host, "x-forwarded-proto": "http" } }),
  )
  expect(status).toBe(200)
  const headersSeen = JSON.parse(String(body))
  expect(headersSeen).toMatchObject({
    url: "https://a.site.test//y?z",
    tls: ["TLSv1.3", "AEAD-AES256-GCM-SHA384"],
    headers: {
      host: "A.site.test",
      "cf-visitor": '{"scheme":"https"}',
      "x-forwarded-proto": "https",
      "cf-connecting-ip": "127.0.0.1",
    },
  })
  const elsewhere = await answer(listeners.open("/", { headers: { host: "a.site.test:4444" } }))
  expect(JSON.parse(String(elsewhere.body)).url).toBe("https://a.site.test:4444/")
})

test("a host without a Worker, or no host at all, gets no certificate", async () => {
  await using plane = await openTestPlane()
  await plane.start(echo)
  await using listeners = await openTestEntrances(plane, echo)
  for (const servername of ["other.test", "site.accounts-local.workers.dev", ""]) {
    const refused = answer(listeners.open("/", { servername }))
    await expect(refused).rejects.toThrow("ssl/tls alert handshake failure")
  }
  expect((await answer(listeners.open("/"))).status).toBe(200)
})

test("what no Worker takes of a host goes to the server behind it, WebSockets as well", async () => {
  await using plane = await openTestPlane()
  await plane.start(echo)
  const server = createServer((request, response) => {
    response.end(`${request.method} ${request.url} of ${request.headers.host}`)
  })
  server.on("upgrade", (_request, socket) => {
    socket.end(
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\nhello",
    )
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo
  const origins: Record<string, string> = {
    "a.site.test": `127.0.0.1:${port}`,
    "gone.site.test": "127.0.0.1:1",
  }
  const edge = edgeOf(plane, echo.id)
  const routes = [{ pattern: "*site.test/api/*", script: "site" }]
  await using listeners = await openTestEntrances(plane, echo, 0, {
    ...edge,
    table: () => ({ ...edge.table(), routes }),
    origin: (hostname) => origins[hostname],
  })
  const at = async (path: string, host = "a.site.test") => {
    const { status, body } = await answer(listeners.open(path, { headers: { host } }))
    return { status, text: String(body) }
  }
  expect((await at("/api/health")).text).toContain("https://a.site.test/api/health")
  expect(await at("/cart?of=1")).toEqual({ status: 200, text: "GET /cart?of=1 of a.site.test" })
  expect((await at("/", "gone.site.test")).status).toBe(521)
  expect((await at("/", "other.site.test")).status).toBe(404)
  const upgrade = { connection: "Upgrade", upgrade: "websocket" }
  const [, socket] = await once(listeners.open("/live", { headers: upgrade }).end(), "upgrade")
  expect(String((await once(socket, "data"))[0])).toBe("hello")
  socket.destroy()
  server.close()
})

test("large bodies pass over HTTPS, and stream both ways", async () => {
  await using plane = await openTestPlane()
  await plane.start(echo)
  await using listeners = await openTestEntrances(plane, echo)
  const large = Buffer.alloc(20_000_000, "abc")
  const { body } = await answer(listeners.open("/", { method: "POST" }), large)
  expect(body.equals(large)).toBe(true)

  const request = listeners.open("/", { method: "POST" })
  let received = ""
  request.on("response", (response) => {
    response.setEncoding("utf8").on("data", (chunk: string) => (received += chunk))
  })
  request.write("first")
  await until(() => received === "first")
  request.end("second")
  await until(() => received === "firstsecond")
})

test("HTTPS moves to a free port when its own is taken, unless it is required", async () => {
  await using plane = await openTestPlane()
  await using first = await openTestEntrances(plane, echo)
  await using second = await openTestEntrances(plane, echo, first.https)
  expect(second.https).not.toBe(first.https)
  expect(second.log).toEqual([
    `Port ${first.https} is taken by another program; HTTPS is on port ${second.https}`,
  ])
  const authority = await openAuthority(`${plane.directory}/authority`)
  const refused = openEdgeListeners({
    http: 0,
    https: { port: first.https, required: true },
    authority,
    edge: edgeOf(plane, echo.id),
    routes: () => true,
    onLog: () => {},
  })
  await expect(refused).rejects.toMatchObject({
    code: "PORT_IN_USE",
    message: expect.stringContaining(`Port ${first.https} `),
  })
})

const socketSpec = versionSpec({
  code: `export default {
    fetch({ url, headers }) {
      if (headers.get("upgrade") !== "websocket") return new Response("no socket", { status: 426 })
      if (new URL(url).pathname === "/refused") return new Response("refused", { status: 403 })
      const [client, server] = Object.values(new WebSocketPair())
      server.accept()
      server.addEventListener("message", ({ data }) => server.send(url + " " + data.length + " " + data.slice(0, 5)))
      return new Response(null, { status: 101, webSocket: client })
    },
  }`,
})

const handshake = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  "sec-websocket-version": "13",
}

/** Every response fits into one short frame: a header of two bytes, then the text. */
async function talk(request: ClientRequest) {
  const socket = await new Promise<Duplex>((resolve, reject) => {
    request.once("upgrade", (response, opened) => {
      expect(response.headers["sec-websocket-accept"]).toBe("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
      resolve(opened)
    })
    request.once("error", reject).end()
  })
  const received: Buffer[] = []
  let closed = false
  socket.on("data", (chunk: Buffer) => received.push(chunk))
  socket.on("error", () => {}).on("close", () => (closed = true))
  return {
    send(text: string) {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(text.length)
      // The long form of the length, and a mask of zeros.
      socket.write(Buffer.concat([Buffer.from([0x81, 0xff, 0, 0, 0, 0]), length, Buffer.alloc(4)]))
      socket.write(text)
    },
    received: () => Buffer.concat(received).subarray(2).toString(),
    /** Starts the closing handshake; the connection ends when the other side confirms. */
    close: () => socket.write(Buffer.from([0x88, 0x80, 0, 0, 0, 0])),
    closed: () => closed,
    destroy: () => socket.destroy(),
  }
}

test("a WebSocket reaches the Worker over HTTP and HTTPS, and ends with either side", async () => {
  await using plane = await openTestPlane()
  await plane.start(socketSpec)
  const listeners = await openTestEntrances(plane, socketSpec)
  const openPlain = (path: string, headers = handshake) =>
    open({
      host: "127.0.0.1",
      port: listeners.http,
      path,
      headers: { host: "a.site.test", ...headers },
    })

  for (const [scheme, request] of [
    ["https", listeners.open("/room", { headers: handshake })],
    ["http", openPlain("/room")],
  ] as const) {
    const socket = await talk(request)
    socket.send("x".repeat(100_000))
    await until(() => socket.received() === `${scheme}://a.site.test/room 100000 xxxxx`)
    socket.close()
    await until(socket.closed)
  }
  expect(await answer(openPlain("/refused"))).toMatchObject({ status: 403 })
  expect(await answer(openPlain("/", { ...handshake, upgrade: "h2c" }))).toMatchObject({
    status: 426,
  })
  const nowhere = openPlain("/")
  nowhere.setHeader("host", "other.test")
  expect(await answer(nowhere)).toMatchObject({ status: 404 })

  const goneAnswer = await talk(openPlain("/"))
  goneAnswer.destroy()
  const openConnection = await talk(listeners.open("/", { headers: handshake }))
  await listeners[Symbol.asyncDispose]()
  await until(openConnection.closed)
  await until(() => listeners.statuses.length === 7)
  expect(listeners.statuses).toEqual([101, 101, 403, 426, 404, 101, 101])
})
