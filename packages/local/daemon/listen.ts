import type { ServerType } from "@hono/node-server"

/** A local process cannot start. `message` says what to do next. */
export class ProcessStartError extends Error {
  override name = "ProcessStartError"
  readonly code: string
  /** Id of the process that holds the lock, if that is the reason. */
  readonly holder: number | undefined

  constructor(code: string, message: string, options: ErrorOptions & { holder?: number } = {}) {
    super(message, options)
    this.code = code
    this.holder = options.holder
  }
}

/** In milliseconds. Longer than clients keep idle connections, so that they never reuse a closing connection. */
export const idleTimeout = 75_000

/** Listens on 127.0.0.1 only. @returns the port, also when `port` is 0 */
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

/** Waits at most a second for responses in flight, because event streams never end. */
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

export function isPortInUse(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE"
}

/** @throws ProcessStartError PORT_IN_USE, which names the flag that chooses another port */
export async function rejectPortInUse<T>(
  { port, flag }: { port: number; flag: string },
  open: () => Promise<T>,
): Promise<T> {
  try {
    return await open()
  } catch (cause) {
    if (!isPortInUse(cause)) throw cause
    throw new ProcessStartError(
      "PORT_IN_USE",
      `Port ${port} is taken by another program. Stop that program, or choose a port with ${flag} (0 takes any free one)`,
      { cause },
    )
  }
}

const hosts = new Set(["127.0.0.1", "localhost", "[::1]"])

/**
 * Returns why a request is rejected before its token is checked; undefined if it is not. A foreign `Host` means DNS
 * rebinding, a foreign `Origin` a web page.
 */
export function rejectionOf({
  host = "",
  origin,
}: {
  host?: string | undefined
  origin?: string | undefined
}) {
  if (!hosts.has(host.replace(/:\d+$/, "").toLowerCase())) {
    return "Only loopback hosts are answered: use 127.0.0.1"
  }
  if (origin !== undefined && origin !== `http://${host}`) {
    return "Requests from other origins are rejected"
  }
  return undefined
}
