import { readFileSync } from "node:fs"
import { join } from "node:path"

import { build } from "esbuild"
import { Miniflare, Response } from "miniflare"

import { compatibilityDate } from "../../../../infra/bundle.ts"
import { root } from "../../base/root.ts"
import { sendRequest } from "./send-request.ts"

type Service = { accounts: string; audience: string; connectTo: string }

/** The Worker that docs/tokens.md shows, in a workerd of its own, and how often it asked for the keys. */
export async function openDocumentedWorker({ accounts, audience, connectTo }: Service) {
  const keyRequests: string[] = []
  const state = { isReachable: true }
  const miniflare = new Miniflare({
    workers: [
      {
        config: {
          name: "orders",
          compatibilityDate,
          env: {
            ACCOUNTS: { type: "text", value: accounts },
            AUDIENCE: { type: "text", value: audience },
          },
          manifest: {
            mainModule: "worker.js",
            modulesRoot: "/",
            modules: { "worker.js": { type: "esm", contents: await bundle() } },
          },
        },
        dev: {
          outboundService: {
            type: "fetcher",
            async handler({ url }) {
              keyRequests.push(url)
              if (!state.isReachable) return new Response("unreachable", { status: 522 })
              const { status, text } = await sendRequest(url, { connectTo })
              return new Response(text, { status })
            },
          },
        },
      },
    ],
  })
  return {
    asked: keyRequests,
    state,
    /** Response of the Worker to a request with this token. */
    async ask(token: string) {
      const headers = { authorization: `Bearer ${token}` }
      const answer = await miniflare.dispatchFetch(audience, { headers })
      return { status: answer.status, body: await answer.json() }
    },
    [Symbol.asyncDispose]: () => miniflare.dispose(),
  }
}

async function bundle(): Promise<string> {
  const page = readFileSync(join(root, "docs/tokens.md"), "utf8")
  const [, contents = ""] = /```js\n([^]*?)```/.exec(page) ?? []
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*"],
    write: false,
  })
  return outputFiles[0]?.text ?? ""
}
