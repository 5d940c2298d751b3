import { createHash } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"

export type TailSocket = { send(text: string): void; close(): void }

/** The caller must handle errors of `socket`. */
type Options = { request: IncomingMessage; socket: Duplex; head: Buffer; onClose: () => void }

const opcode = { text: 1, close: 8, ping: 9, pong: 10 }
/** Bytes of a client's frame; clients send only a debug flag, pings and a close frame. */
const frameLimit = 4096

export function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket"
}

/**
 * Written by hand: wrangler sends a frame without the mask that RFC 6455 requires of clients.
 * Cloudflare accepts it, WebSocket libraries do not.
 */
export function openTailSocket({ request, socket, head, onClose }: Options): TailSocket {
  const key = request.headers["sec-websocket-key"] ?? ""
  const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
  const protocol = request.headers["sec-websocket-protocol"]
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${accept.digest("base64")}`,
    ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol.split(",", 1)[0]}`]),
  ]
  let received = head

  function read() {
    for (;;) {
      const frame = readFrame(received)
      if (frame === "malformed") socket.destroy()
      if (frame === "malformed" || frame === undefined) return
      received = frame.rest
      if (frame.type === opcode.ping) write(opcode.pong, frame.content)
      if (frame.type === opcode.close) {
        write(opcode.close, frame.content)
        socket.end()
      }
    }
  }

  function write(type: number, content: Buffer) {
    if (socket.writable) socket.write(Buffer.concat([headerOf(type, content.length), content]))
  }

  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    read()
  })
  socket.once("end", () => socket.end())
  socket.once("close", onClose)
  socket.write(`${lines.join("\r\n")}\r\n\r\n`)
  read()

  return {
    send: (text) => write(opcode.text, Buffer.from(text)),
    close() {
      // 1001: the server is going away.
      write(opcode.close, Buffer.from([0x03, 0xe9]))
      socket.end(() => socket.destroy())
    },
  }
}

/** @returns undefined until the frame is complete */
function readFrame(bytes: Buffer) {
  const [first = 0, second = 0] = bytes
  if (bytes.length < 2) return undefined
  const isMasked = second >= 0x80
  const short = second & 0x7f
  const extended = short === 126 ? 2 : 0
  if (bytes.length < 2 + extended) return undefined
  const length = extended === 0 ? short : bytes.readUInt16BE(2)
  if (short === 127 || length > frameLimit) return "malformed"
  const start = 2 + extended + (isMasked ? 4 : 0)
  if (bytes.length < start + length) return undefined
  const mask = isMasked ? bytes.subarray(start - 4, start) : Buffer.alloc(4)
  const content = Buffer.from(
    bytes.subarray(start, start + length).map((byte, index) => byte ^ (mask[index % 4] ?? 0)),
  )
  return { type: first & 0x0f, content, rest: bytes.subarray(start + length) }
}

function headerOf(type: number, length: number): Buffer {
  const first = 0x80 | type
  if (length < 126) return Buffer.from([first, length])
  const header = Buffer.alloc(length < 0x1_00_00 ? 4 : 10)
  header[0] = first
  header[1] = header.length === 4 ? 126 : 127
  if (header.length === 4) header.writeUInt16BE(length, 2)
  else header.writeBigUInt64BE(BigInt(length), 2)
  return header
}
