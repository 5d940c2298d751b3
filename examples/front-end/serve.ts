import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"

import { build } from "esbuild"

type Options = {
  port: number
  /** Origin of the service. */
  api: () => string
}

/**
 * Serves the one page at every path except /with-pages, and the scripts, bundled again for each request.
 */
export async function serveFrontEnd({ port, api }: Options) {
  const server = createServer((request, response) => {
    void frontEndFile(request.url ?? "/", api()).then(({ type, body }) =>
      response.setHeader("content-type", `${type}; charset=utf-8`).end(body),
    )
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

/** A file of the site, for a service at that origin. */
export async function frontEndFile(path: string, api: string) {
  const [, script] = /^\/(main|with-pages)\.js$/.exec(path) ?? []
  if (script !== undefined) return { type: "text/javascript", body: await bundle(script, api) }
  const page = path.startsWith("/with-pages") ? "with-pages.html" : "index.html"
  return { type: "text/html", body: readFileSync(join(import.meta.dirname, page), "utf8") }
}

async function bundle(script: string, api: string) {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, `${script}.ts`)],
    bundle: true,
    format: "esm",
    target: "es2022",
    write: false,
    define: { apiUrl: JSON.stringify(api) },
  })
  return outputFiles[0]?.text ?? ""
}
