import * as z from "zod"

/** Headers that the trial, the connection or Cloudflare itself decides on. */
const forbidden =
  /^(?:accept(?:-.*)?|accounts-.*|access-control-.*|authorization|cloudflare-workers-.*|cf-(?!access-client-).*|connection|content-.*|cookie|expect|host|if-.*|keep-alive|origin|proxy-.*|range|referer|sec-.*|te|trailer|transfer-encoding|upgrade|user-agent|x-forwarded-.*|x-real-ip)$/

const Name = z
  .string()
  .regex(/^[A-Za-z0-9-]+$/, "must be the name of a header")
  .refine((name) => !forbidden.test(name.toLowerCase()), {
    error: "may not be set: the trial sends its own, or Cloudflare decides on it",
  })

/** Headers by name; the values are sealed, because whoever has them passes Access or the WAF. */
export const TrialHeaders = z.record(
  Name,
  z.string().regex(/^[\x20-\x7e]{1,4096}$/, "must be printable ASCII in one line"),
)
