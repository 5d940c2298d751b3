import { createServer, type RequestListener, type ServerOptions } from "node:http"

/** Serves on a free port of this machine until it is disposed of. */
export async function serve(listener: RequestListener, options: ServerOptions = {}) {
  const server = createServer(options, listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the server has no port")
  return {
    server,
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
