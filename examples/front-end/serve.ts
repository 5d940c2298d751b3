import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"

import { build } from "esbuild"

type Options = {
  port: number
  /** Origin of the service. */
  api: () => string
}

/** Serves the one page at every path, and its script, bundled anew for each request. */
export async function serveFrontEnd({ port, api }: Options) {
  const server = createServer((request, response) => {
    void answer(request.url ?? "/", api()).then(({ type, body }) =>
      response.setHeader("content-type", `${type}; charset=utf-8`).end(body),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "localhost", resolve)
  })
  const address = server.address()
  const own = typeof address === "object" && address !== null ? address.port : port
  return {
    url: `http://localhost:${own}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function answer(path: string, api: string) {
  if (path === "/main.js") return { type: "text/javascript", body: await bundle(api) }
  return { type: "text/html", body: readFileSync(join(import.meta.dirname, "index.html")) }
}

async function bundle(api: string) {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "main.ts")],
    bundle: true,
    format: "esm",
    target: "es2022",
    write: false,
    define: { apiUrl: JSON.stringify(api) },
  })
  return outputFiles[0]?.text ?? ""
}
