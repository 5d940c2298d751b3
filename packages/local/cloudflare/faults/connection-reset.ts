import type { IncomingMessage, Server } from "node:http"
import type { Socket } from "node:net"

/**
 * Resets the TCP connection of a request, over TLS too: a TLS socket can't be reset, so this finds
 * the socket below it by the client's port.
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
