import type { ServerType } from "@hono/node-server"

import { StartFailure } from "./start-failure.ts"

/** Milliseconds: longer than clients keep idle connections, so that they never reuse one that closes. */
export const idleTime = 75_000

/** Only ever on loopback. @returns the port, which matters when 0 was asked for */
export function listen(server: ServerType, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject)
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : port)
    })
  })
}

/** Lets answers in flight end, for a second at most: event streams never end by themselves. */
export function stopListening(server: ServerType): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(
      () => "closeAllConnections" in server && server.closeAllConnections(),
      1000,
    )
    server.close(() => {
      clearTimeout(force)
      resolve()
    })
    if ("closeIdleConnections" in server) server.closeIdleConnections()
  })
}

/** @throws StartFailure PORT_IN_USE */
export async function refusingTakenPort<T>(
  { port, flag }: { port: number; flag: string },
  open: () => Promise<T>,
): Promise<T> {
  try {
    return await open()
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE")) throw cause
    throw new StartFailure(
      "PORT_IN_USE",
      `Port ${port} is taken by another program. End that one, or choose a port with ${flag} (0 takes any free one)`,
      { cause },
    )
  }
}
