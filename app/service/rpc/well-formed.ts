import * as z from "zod"

/** Text without lone surrogates: the database would store them as other characters. */
export const WellFormed = z
  .string()
  .refine((text) => text.isWellFormed(), "Text must not contain lone surrogates")

/** One that shows something: neither blank nor of control characters alone. */
export const Visible = WellFormed.trim()
  .min(1, { abort: true })
  .refine((text) => /[^\p{Cc}\p{Cf}\p{Z}]/u.test(text), "Text must contain a visible character")
