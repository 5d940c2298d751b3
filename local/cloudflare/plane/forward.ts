import { Agent, request as open } from "node:http"
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import { connect } from "node:net"
import type { Socket, TcpNetConnectOpts } from "node:net"
import type { Duplex } from "node:stream"
import { TLSSocket } from "node:tls"

import { cf, cfHeader } from "./request-cf.ts"

/** workerd closes idle connections after 5 s; whoever reuses one has to be quicker. */
const idleTime = 3000
/** Cloudflare's limit of all headers of a request. */
export const headerLimit = 128 * 1024

/** Passes requests on to a Worker's socket, and its answers back, as they stream. */
export function createForward() {
  const agent = Object.assign(
    new Agent({ keepAlive: true, timeout: idleTime, maxFreeSockets: 64 }),
    { createConnection: openPatiently },
  )

  /**
   * Resolves when the answer has ended, also when the client or the Worker broke it off; that of a
   * WebSocket ends with its connection.
   * @throws what connecting threw; then nothing was read of the request
   */
  function send({ address, url, request, response, upgrade }: Exchange): Promise<void> {
    return new Promise((resolve, reject) => {
      const [host, port] = address.split(":")
      let connected = false
      let answered: IncomingMessage | undefined
      const upstream = open({
        // A connection that becomes a WebSocket's never goes back to the others.
        agent: upgrade === undefined && agent,
        host,
        port,
        // An absolute request target is the URL that the Worker sees.
        path: url,
        method: request.method ?? "GET",
        headers: { ...forwarded(request), ...(upgrade && upgradeHeaders) },
        maxHeaderSize: headerLimit,
      })
      upstream.on("socket", (socket) => {
        const start = () => {
          connected = true
          if (upgrade) upstream.end()
          else request.pipe(upstream)
        }
        if (socket.connecting) socket.once("connect", start)
        else start()
      })
      upstream.on("response", (answer) => {
        answered = answer
        const { statusCode = 502, statusMessage = "", rawHeaders } = answer
        response.writeHead(statusCode, statusMessage, returned(rawHeaders))
        answer.pipe(response)
        answer.on("error", () => response.destroy())
      })
      upstream.on("upgrade", ({ rawHeaders }, peer, first) => {
        const headers = [...returned(rawHeaders), ...Object.entries(upgradeHeaders).flat()]
        response.writeHead(101, headers).flushHeaders()
        if (upgrade) join(upgrade, { socket: peer, head: first })
        else peer.destroy()
      })
      upstream.on("error", (error) => {
        if (!connected) return reject(error)
        // The connection may end as soon as the answer has.
        if (answered?.complete !== true) badGateway(response)
      })
      response.once("close", () => {
        upstream.destroy()
        if (upgrade === undefined) spill(request, upstream)
        resolve()
      })
    })
  }

  return { send, close: () => agent.destroy() }
}

export type Exchange = {
  address: string
  url: string
  request: IncomingMessage
  response: ServerResponse
  /** Of a request for a WebSocket. */
  upgrade?: Upgrade | undefined
}

/** Either end of a connection that stops to be HTTP, and what came with the last of that. */
export type Upgrade = { socket: Duplex; head: Buffer }

/**
 * workerd closes the connection of a Worker that has answered and leaves a body unread. A socket
 * whose writing fails ends at once, with the answer in it; this one ends when all is read.
 */
function openPatiently(options: TcpNetConnectOpts): Socket {
  const socket = connect(options)
  const write = socket._write.bind(socket)
  const writeMany = socket._writev?.bind(socket)
  return Object.assign(socket, {
    _write: (chunk: unknown, encoding: BufferEncoding, done: () => void) =>
      write(chunk, encoding, () => done()),
    _writev: (chunks: Parts, done: () => void) => writeMany?.(chunks, () => done()),
  })
}

type Parts = { chunk: unknown; encoding: BufferEncoding }[]

/** Lets the next request of a connection come, which is behind the rest of this one's body. */
function spill(request: IncomingMessage, upstream: ClientRequest) {
  request.unpipe(upstream)
  request.resume()
}

const upgradeHeaders = { connection: "Upgrade", upgrade: "websocket" }

function join(one: Upgrade, other: Upgrade) {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.socket.on("error", () => to.socket.destroy())
    from.socket.on("close", () => to.socket.destroy())
    if (from.head.length > 0) to.socket.write(from.head)
    from.socket.pipe(to.socket)
  }
}

/** The process that had the request is gone; whether the Worker acted on it is unknown. */
export function badGateway(response: ServerResponse) {
  if (response.headersSent) return response.destroy()
  return response
    .writeHead(502, { "content-type": "text/plain; charset=UTF-8", "cache-control": "no-store" })
    .end("error code: 502\n")
}

/** Headers that concern one connection only; RFC 9110, 7.6.1. */
const connectionHeaders = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
])

function forwarded({ headers, socket }: IncomingMessage): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !connectionHeaders.has(name))
  const clientAcceptEncoding = headers["accept-encoding"] ?? ""
  return {
    ...Object.fromEntries(kept),
    [cfHeader]: JSON.stringify({ ...cf, clientAcceptEncoding, ...tlsOf(socket) }),
  }
}

/** In Cloudflare's words, which differ from OpenSSL's for the ciphers of TLS 1.3. */
function tlsOf(socket: Socket) {
  if (!(socket instanceof TLSSocket)) return {}
  const { name } = socket.getCipher()
  const tlsCipher = name.startsWith("TLS_")
    ? `AEAD-${name.slice(4).replace("AES_", "AES").replaceAll("_", "-")}`
    : name
  return { tlsVersion: socket.getProtocol() ?? "", tlsCipher }
}

/** Pairs of name and value, in a flat list as Node has them: repeated headers stay apart. */
function returned(rawHeaders: string[]): string[] {
  return rawHeaders.filter((_, index) => {
    const name = rawHeaders[index - (index % 2)] ?? ""
    return !connectionHeaders.has(name.toLowerCase())
  })
}
