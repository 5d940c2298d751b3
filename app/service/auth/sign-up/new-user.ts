import * as z from "zod"

import { isVisible } from "../../rpc/fields.ts"

/* Control characters, line and paragraph separators, marks that turn text around, lone surrogates. */
export const unprintable =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

export const Name = z
  .string()
  .trim()
  .refine((name) => name.search(unprintable) < 0, "Must not contain control characters")
  .min(1, { error: "Must not be empty", abort: true })
  .refine(isVisible, "Must not be empty")
  .max(100, "Must have at most 100 characters")

/** Other people's browsers load it, so `data:` and plain http are rejected. */
export const Image = z
  .url({ protocol: /^https$/, error: "Must be an https URL" })
  .refine((url) => /^[!-~]*$/.test(url), "Must be an https URL")
  .max(2048, "Must have at most 2048 characters")
