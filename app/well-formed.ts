import * as z from "zod"

/** Text without lone surrogates: the database would store them as other characters. */
export const WellFormed = z
  .string()
  .refine((text) => text.isWellFormed(), "Text must not contain lone surrogates")
