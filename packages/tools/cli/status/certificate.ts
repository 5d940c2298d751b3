import { once } from "node:events"
import { connect } from "node:tls"

/** Milliseconds. */
const timeout = 15_000

/** Until when the certificate of a host holds. @throws Error where none is shown that holds now */
export async function certificateUntil(url: URL, ca?: string): Promise<Date> {
  const { hostname: host, port } = url
  const socket = connect({ host, port: Number(port || 443), servername: host, timeout, ca })
  socket.on("timeout", () => socket.destroy(new Error(`no answer within ${timeout / 1000} s`)))
  try {
    await once(socket, "secureConnect")
    return new Date(socket.getPeerCertificate().valid_to)
  } finally {
    socket.destroy()
  }
}
