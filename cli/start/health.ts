import { request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"

import { Failure } from "../output.ts"

/** Milliseconds between two looks, and in all. */
const retryInterval = 200
const timeLimit = 60_000

/** Waits until the service answers its health check. `connectTo` stands for the URL's host. */
export async function health(options: {
  url: string
  connectTo: string
  signal: AbortSignal
}): Promise<void> {
  const { url, connectTo, signal } = options
  const patience = performance.now() + timeLimit
  for (;;) {
    const seen = await status(new URL("/api/health", url), new URL(connectTo)).catch(
      (error: Error) => error.message,
    )
    if (seen === "200") return
    if (performance.now() > patience) {
      throw new Failure(`${url}/api/health did not come up: ${seen}`)
    }
    await sleep(retryInterval, undefined, { signal })
  }
}

function status(url: URL, edge: URL): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  request(
    {
      host: edge.hostname,
      port: edge.port,
      path: url.pathname,
      headers: { host: url.host },
      timeout: 5_000,
    },
    (response) => {
      response.resume()
      resolve(String(response.statusCode))
    },
  )
    .on("timeout", function (this: { destroy(error: Error): void }) {
      this.destroy(new Error("no answer within 5 s"))
    })
    .on("error", reject)
    .end()
  return promise
}
