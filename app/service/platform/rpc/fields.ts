import * as z from "zod"

/**
 * A value of a `listed` column in a response. It is described as one of the list, but other values pass unchanged,
 * because another version beside this one or before a rollback may know more.
 */
export function listedValue(values: readonly string[]) {
  return z.enum(values).catch(({ value }) => String(value))
}

/** @public Text without lone surrogates: the database would store them as other characters. */
export const WellFormed = z
  .string()
  .refine((text) => text.isWellFormed(), "Must not contain lone surrogates")

/** Whether a text shows anything. Braille's blank and characters that Unicode tells fonts to ignore do not. */
export function isVisible(text: string) {
  return /[^\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text)
}

/** @public Text with at least one visible character. */
export const Visible = WellFormed.trim()
  .min(1, { abort: true })
  .refine(isVisible, "Must contain a visible character")
