import { setTimeout as sleep } from "node:timers/promises"

import { Failure, messageOf } from "../../base/failure.ts"
import { requestService } from "../../provider/release/service-request.ts"

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
  const address = { url, connectTo }
  const request = { address, path: "/api/health", headers: {}, timeout: requestTimeout }
  const deadline = performance.now() + healthTimeout
  for (;;) {
    const result = await requestService(request).then(({ status }) => status, messageOf)
    if (result === 200) return
    if (performance.now() > deadline) {
      throw new Failure(
        "COMMAND_FAILED",
        `${url}/api/health is not healthy after ${healthTimeout / 1000} s: ${result}. See ./accounts local log.`,
      )
    }
    await sleep(retryInterval, undefined, { signal })
  }
}
