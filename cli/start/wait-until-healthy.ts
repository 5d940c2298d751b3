import { request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"

import { Failure } from "../../base/failure.ts"
import { userAgent } from "../../base/user-agent.ts"

/** Polling interval (ms). */
const retryInterval = 200

/** In all (ms). */
const healthTimeout = 60_000

/** Of one request (ms). */
const requestTimeout = 5_000

/** @throws Failure if the service does not pass its health check in time */
export async function waitUntilHealthy(options: {
  url: string
  /** Origin to connect to; the URL's host goes into the Host header. */
  connectTo: string
  signal: AbortSignal
}): Promise<void> {
  const { url, connectTo, signal } = options
  const deadline = performance.now() + healthTimeout
  for (;;) {
    const result = await requestStatus(new URL("/api/health", url), new URL(connectTo)).catch(
      (error: Error) => error.message,
    )
    if (result === "200") return
    if (performance.now() > deadline) {
      throw new Failure(
        "COMMAND_FAILED",
        `${url}/api/health is not healthy after ${healthTimeout / 1000} s: ${result}. See ./accounts local log.`,
      )
    }
    await sleep(retryInterval, undefined, { signal })
  }
}

function requestStatus(url: URL, edge: URL): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  request(
    {
      host: edge.hostname,
      port: edge.port,
      path: url.pathname,
      headers: { host: url.host, "user-agent": userAgent },
      timeout: requestTimeout,
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
