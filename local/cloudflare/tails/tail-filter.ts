import * as z from "zod"

/** Filters in wrangler's JSON; a trace must pass every one. */
export const Filters = z.array(
  z.union([
    z.strictObject({ sampling_rate: z.number().min(0).max(1) }),
    z.strictObject({ outcome: z.array(z.string()) }),
    z.strictObject({ method: z.array(z.string()) }),
    z.strictObject({ header: z.strictObject({ key: z.string(), query: z.string().optional() }) }),
    z.strictObject({ client_ip: z.array(z.string()) }),
    z.strictObject({ query: z.string() }),
    z.strictObject({ scriptVersion: z.string() }),
  ]),
)
type Filter = z.infer<typeof Filters>[number]

/** workerd prints modules as file URLs, Cloudflare as plain names. */
const Stack = z.string().transform((text) => text.replaceAll("file:///", ""))

export const Trace = z.looseObject({
  outcome: z.string(),
  scriptVersion: z.looseObject({ id: z.string() }),
  logs: z.array(z.looseObject({ message: z.unknown() })),
  exceptions: z.array(z.looseObject({ stack: Stack.optional() })).default([]),
  event: z
    .looseObject({
      request: z
        .looseObject({ method: z.string(), headers: z.record(z.string(), z.string()) })
        .optional(),
    })
    .nullish(),
})
export type Trace = z.infer<typeof Trace>

export function passes(trace: Trace, filters: Filter[], random = Math.random): boolean {
  return filters.every((filter) => passesOne(trace, filter, random))
}

function passesOne(trace: Trace, filter: Filter, random: () => number): boolean {
  const request = trace.event?.request
  if ("sampling_rate" in filter) return random() < filter.sampling_rate
  if ("outcome" in filter) return filter.outcome.includes(trace.outcome)
  if ("method" in filter) return request !== undefined && filter.method.includes(request.method)
  if ("client_ip" in filter) {
    const ip = request?.headers["cf-connecting-ip"]
    // `self` is the client that tails, which always runs on this machine.
    return filter.client_ip.some((wanted) => ip === (wanted === "self" ? "127.0.0.1" : wanted))
  }
  if ("header" in filter) {
    const value = request?.headers[filter.header.key.toLowerCase()]
    return value !== undefined && value.includes(filter.header.query ?? "")
  }
  if ("scriptVersion" in filter) return trace.scriptVersion.id === filter.scriptVersion
  return trace.logs.some(({ message }) => JSON.stringify(message).includes(filter.query))
}
