import * as z from "zod"

import { isLoopback } from "../../base/loopback.ts"

export const ServiceUrl = z.url({ protocol: /^https?$/, error: "url is an http(s) URL" })

/** Headers in lower case, so that none of them can stand beside the trial's own. */
export const TrialHeaders = z
  .record(
    z.string().regex(/^[\w-]+$/, "is no name of a header"),
    z.string().regex(/^[\x20-\x7e]+$/, "has characters that no header may have"),
  )
  .transform((headers) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  )

const address = {
  url: ServiceUrl,
  /** Connect here instead of resolving the URL's host. Anywhere else it could redirect traffic. */
  connectTo: z
    .string()
    .refine(isLoopback, 'connectTo is "http://127.0.0.1:PORT" or is left out')
    .optional(),
}

/** The inputs that say where the service is and how to get to it. */
export const addressInputs = {
  ...address,
  /** Name of the URL's zone: of its routes. */
  zone: z.string().optional(),
  /** Sent with every request: a service token of Access, or what a WAF rule looks for. */
  trialHeaders: TrialHeaders.optional(),
}

export type ServiceAddress = {
  url: string
  connectTo?: string | undefined
  headers?: Record<string, string> | undefined
}

/** What a release needs to sign up a smoke-test account. */
export const SmokeTest = z.strictObject({
  key: z.string().min(32, "SMOKE_KEY has 32 characters or more"),
  /** Origin of the front end: the trial calls the service as its pages do. */
  origin: ServiceUrl,
})
export type SmokeTest = z.infer<typeof SmokeTest>
