import type { IncomingMessage, Server } from "node:http"
import type { Socket } from "node:net"

/**
 * Ends a request's connection with a TCP reset, also where TLS is in between: a TLS socket has no
 * such call, so the one below it is found by the caller's port.
 */
export function createConnectionReset(server: Server): (request: IncomingMessage) => void {
  const connections = new Map<number | undefined, Socket>()
  server.on("connection", (socket: Socket) => {
    const { remotePort } = socket
    connections.set(remotePort, socket)
    socket.once("close", () => {
      if (connections.get(remotePort) === socket) connections.delete(remotePort)
    })
  })
  return ({ socket }) => {
    connections.get(socket.remotePort)?.resetAndDestroy()
    socket.destroy()
  }
}
