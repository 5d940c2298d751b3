import * as z from "zod"

/**
 * A value of a `listed` column in an answer: described as one of the list, and passed on as it is, since the
 * version beside this one, or the one before a rollback, may know more.
 */
export function listedValue(values: readonly string[]) {
  return z.enum(values).catch(({ value }) => String(value))
}

/** @public Text without lone surrogates: the database would store them as other characters. */
export const WellFormed = z
  .string()
  .refine((text) => text.isWellFormed(), "Must not contain lone surrogates")

/** Whether people see any of it: the blank of Braille and what Unicode tells fonts to ignore show nothing. */
export function isVisible(text: string) {
  return /[^\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text)
}

/** @public One that shows something. */
export const Visible = WellFormed.trim()
  .min(1, { abort: true })
  .refine(isVisible, "Must contain a visible character")
