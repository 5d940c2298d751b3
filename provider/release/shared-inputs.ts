import * as z from "zod"

import { isLoopback } from "../../loopback.ts"

export const ServiceUrl = z.url({ protocol: /^https?$/, error: "url is an http(s) URL" })

export const ServiceAddress = z.strictObject({
  url: ServiceUrl,
  /** Connect here instead of resolving the URL's host. Anywhere else it could redirect traffic. */
  connectTo: z
    .string()
    .refine(isLoopback, 'connectTo is "http://127.0.0.1:PORT" or is left out')
    .optional(),
})
export type ServiceAddress = z.infer<typeof ServiceAddress>

/** What a release needs to sign up a smoke-test account. */
export const SmokeTest = z.strictObject({
  key: z.string().min(32, "SMOKE_KEY has 32 characters or more"),
  /** An origin that may call the service. */
  origin: ServiceUrl,
})
export type SmokeTest = z.infer<typeof SmokeTest>
