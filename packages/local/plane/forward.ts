import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as open,
} from "node:http"
import { type Socket, type TcpNetConnectOpts, connect } from "node:net"
import type { Duplex } from "node:stream"
import { TLSSocket } from "node:tls"

import { cf, cfHeader, errorAnswer, sendEdgeAnswer } from "./edge-error.ts"

/** Milliseconds; workerd closes idle connections after 5 s, so this must be less. */
const idleTimeout = 3000
/** Cloudflare's limit for all headers of a request, in bytes. */
export const headerLimit = 128 * 1024

export function createForward() {
  const agent = Object.assign(
    new Agent({ keepAlive: true, timeout: idleTimeout, maxFreeSockets: 64 }),
    { createConnection: connectIgnoringWriteErrors },
  )

  /**
   * Forwards a request. Resolves when the response has ended, even if the client or the Worker aborted it; for a
   * WebSocket, when the connection closes.
   * @throws the error of a failed connection; the request has not been read then, so it can be sent again
   */
  function send(exchange: Exchange): Promise<void> {
    const { address, url, request, response, upgrade } = exchange
    return new Promise((resolve, reject) => {
      const [host, port] = address.split(":")
      let connected = false
      let received: IncomingMessage | undefined
      const upstream = open({
        // A WebSocket's connection must not return to the pool.
        agent: upgrade === undefined && agent,
        host,
        port,
        // An absolute request target becomes the Worker's `request.url`.
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
        received = answer
        const { statusCode = 502, statusMessage = "", rawHeaders } = answer
        if (isException(answer)) {
          exchange.onException?.()
          return sendEdgeAnswer(response, errorAnswer(request.headers, exception))
        }
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
        // The connection may close as soon as the response has ended.
        if (received?.complete === true) return
        badGateway(response)
      })
      response.once("close", () => {
        upstream.destroy()
        if (upgrade === undefined) drain(request, upstream)
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
  /** Called when the Worker throws instead of answering. */
  onException?: () => void
  /** Present for a WebSocket. */
  upgrade?: Upgrade | undefined
}

/** Number and text are from developers.cloudflare.com/workers/observability/errors. */
const exception = {
  status: 500,
  number: 1101,
  title: "Worker threw exception | Cloudflare",
  text: "Worker threw exception",
}

/**
 * Returns whether a response means an uncaught exception. workerd sends this body without a content type, but every
 * `Response` with a text has one (workerd's `WorkerEntrypoint::request`).
 */
function isException({ statusCode, statusMessage, headers }: IncomingMessage): boolean {
  const isText = headers["content-length"] === String("Internal Server Error".length)
  return (
    statusCode === 500 &&
    statusMessage === "Internal Server Error" &&
    isText &&
    headers["content-type"] === undefined
  )
}

/** A side of an upgraded connection. `head` has the bytes after the HTTP part. */
export type Upgrade = { socket: Duplex; head: Buffer }

/**
 * Opens a socket that ignores write errors. workerd closes the connection if a Worker responds without reading the
 * whole body; Node would then destroy the socket before the response is read to its end.
 */
function connectIgnoringWriteErrors(options: TcpNetConnectOpts): Socket {
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

/** Discards the rest of the body, which precedes the next request on the connection. */
function drain(request: IncomingMessage, upstream: ClientRequest) {
  request.unpipe(upstream)
  request.resume()
}

const upgradeHeaders = { connection: "Upgrade", upgrade: "websocket" }

function join(upgrade: Upgrade, peer: Upgrade) {
  for (const [from, to] of [
    [upgrade, peer],
    [peer, upgrade],
  ] as const) {
    from.socket.on("error", () => to.socket.destroy())
    from.socket.on("close", () => to.socket.destroy())
    if (from.head.length > 0) to.socket.write(from.head)
    from.socket.pipe(to.socket)
  }
}

/** Responds with 502 if the process died during the request. Whether the Worker handled it is unknown. */
export function badGateway(response: ServerResponse) {
  if (response.headersSent) return response.destroy()
  return response
    .writeHead(502, { "content-type": "text/plain; charset=UTF-8", "cache-control": "no-store" })
    .end("error code: 502\n")
}

/** Hop-by-hop headers; RFC 9110, section 7.6.1. */
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
  const forwardedHeaders = Object.entries(headers).filter(([name]) => !connectionHeaders.has(name))
  const clientAcceptEncoding = headers["accept-encoding"] ?? ""
  return {
    ...Object.fromEntries(forwardedHeaders),
    // Cloudflare sends this for every client, and so does Miniflare's entry Worker.
    "accept-encoding": "br, gzip",
    [cfHeader]: JSON.stringify({ ...cf, clientAcceptEncoding, ...tlsOf(socket) }),
  }
}

/** Cloudflare's names for TLS 1.3 ciphers differ from OpenSSL's. */
function tlsOf(socket: Socket) {
  if (!(socket instanceof TLSSocket)) return {}
  const { name } = socket.getCipher()
  const tlsCipher = name.startsWith("TLS_")
    ? `AEAD-${name.slice(4).replace("AES_", "AES").replaceAll("_", "-")}`
    : name
  return { tlsVersion: socket.getProtocol() ?? "", tlsCipher }
}

/** Removes hop-by-hop headers from Node's flat list of names and values, which keeps repeated headers separate. */
function returned(rawHeaders: string[]): string[] {
  return rawHeaders.filter((_, index) => {
    const name = rawHeaders[index - (index % 2)] ?? ""
    return !connectionHeaders.has(name.toLowerCase())
  })
}
