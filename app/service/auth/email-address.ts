import * as z from "zod"

/** Mail servers accept no more (RFC 5321, 4.5.3.1.1), although the pattern does. */
const maxLocalPart = 64

/**
 * An address as it is stored, counted and compared, however somebody has typed it. Blanks go first, as
 * in a browser's e-mail field. Capitals go last: a letter of another alphabet, such as the sign for
 * kelvin, would become one of ours.
 */
export const Email = z
  .string()
  .trim()
  .max(254)
  .check(z.email())
  .check(({ value, issues }) => {
    if (value.indexOf("@") <= maxLocalPart) return
    const message = `Must have at most ${maxLocalPart} characters before the @`
    const limit = { maximum: maxLocalPart, inclusive: true, origin: "string" } as const
    issues.push({ code: "too_big", ...limit, input: value, message })
  })
  .toLowerCase()
