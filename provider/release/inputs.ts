import * as z from "zod"

import { isLoopback } from "../../loopback.ts"

export const ServiceUrl = z.url({ protocol: /^https?$/, error: "url is an http(s) URL" })

/** Elsewhere than on this machine it would send the service's traffic to a host of one's choosing. */
export const ConnectTo = z
  .string()
  .refine(isLoopback, 'connectTo is "http://127.0.0.1:PORT" or is left out')

/** With which an account of the release's own signs up: SMOKE_KEY, and an origin that may call. */
export const Smoke = z.strictObject({
  key: z.string().min(32, "SMOKE_KEY has 32 characters or more"),
  origin: ServiceUrl,
})
export type Smoke = z.infer<typeof Smoke>
