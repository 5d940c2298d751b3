import * as z from "zod"

/**
 * A value of a `listed` column in an answer: described as one of the list, and passed on as it is, since the
 * version beside this one, or the one before a rollback, may know more.
 */
export function listedValue(values: readonly string[]) {
  return z.enum(values).catch(({ value }) => String(value))
}
