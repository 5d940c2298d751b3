import { createServer } from "node:http"
import { join } from "node:path"

import { build } from "esbuild"

import type { Handle, Settings } from "./settings.ts"

/** Serves the pages in Node. @param settings asked for at each request */
export async function serveRendered(port: number, settings: () => Settings) {
  const script = await bundle("page.ts")
  const handler: { handle: Handle } = await import(
    `data:text/javascript,${encodeURIComponent(await bundle("handle.ts"))}`
  )
  const server = createServer((request, response) => {
    if (request.url === "/page.js") {
      response.setHeader("content-type", "text/javascript").end(script)
      return
    }
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { method = "GET", url = "/", headers, socket } = request
      const body = Buffer.concat(chunks)
      const webRequest = new Request(new URL(url, `http://${headers.host}`), {
        method,
        headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
        ...(body.length > 0 && { body }),
      })
      const address = socket.remoteAddress ?? null
      void handler.handle(webRequest, address, settings()).then(async (answer) => {
        response
          .setHeaders(answer.headers)
          .writeHead(answer.status)
          .end(await answer.text())
      })
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "localhost", resolve)
  })
  const address = server.address()
  const actualPort = typeof address === "object" && address !== null ? address.port : port
  return {
    url: `http://localhost:${actualPort}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function bundle(file: string) {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, file)],
    bundle: true,
    format: "esm",
    target: "es2022",
    write: false,
  })
  return outputFiles[0]?.text ?? ""
}
