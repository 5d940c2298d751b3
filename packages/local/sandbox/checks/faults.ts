import * as z from "zod"

const kinds = ["down", "silent", "endless", "redirect", "nonsense"] as const

const Fault = z.enum(kinds).nullable()

/** What each of the services does instead of its work; null for nothing. */
export const Faults = z.strictObject({
  ranges: Fault.default(null),
  turnstile: Fault.default(null),
})

type Faults = z.infer<typeof Faults>

export function createFaults() {
  let faults: Faults = { ranges: null, turnstile: null }
  const answers: Record<(typeof kinds)[number], () => Response | Promise<Response>> = {
    down: () => new Response("Down: the fault `down` is set", { status: 503 }),
    silent: () => new Promise(() => undefined),
    endless: () => new Response(endless(), { headers: { "content-type": "text/plain" } }),
    redirect: () => new Response(null, { status: 302, headers: { location: "/elsewhere" } }),
    nonsense: () => new Response("<!doctype html><title>Sign in to this network</title>"),
  }
  return {
    current: () => faults,
    inject: (injected: Faults) => {
      faults = injected
    },
    /** What a service with a fault answers; undefined without one. */
    answer: async (service: keyof Faults) => {
      const fault = faults[service]
      return fault === null ? undefined : answers[fault]()
    },
  }
}

/** A list without end, as fast as it is read. */
function endless() {
  const chunk = new TextEncoder().encode(`${"0".repeat(35)}:1\r\n`.repeat(100))
  return new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(chunk) })
}
