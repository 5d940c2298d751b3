import { setTimeout } from "node:timers/promises"

import { expect } from "vitest"

export function sendHanging(send: (signal: AbortSignal) => Promise<unknown>) {
  const client = new AbortController()
  const response = send(client.signal)
  return {
    /** Waits 300 ms for a response to this request, or to one of `others`. */
    async expectNoResponse(...otherRequests: Promise<unknown>[]) {
      const first = Promise.race([response, ...otherRequests, setTimeout(300, "no response")])
      await expect(first).resolves.toBe("no response")
    },
    async abort() {
      client.abort()
      await expect(response).rejects.toThrow("aborted")
    },
  }
}
