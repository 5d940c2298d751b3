import * as z from "zod"

/**
 * Pages of the front end that a letter may lead to, beside its first: who asks for one need not own the
 * address, and its owner would be led astray.
 */
export const LetterPages = z
  .array(
    z
      .string()
      .max(500)
      .regex(
        /^\/(?!\/)[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]*$/,
        "must be a path of the front end such as /welcome, without a comma",
      ),
  )
  .refine((list) => new Set(list).size === list.length, "must not name one thing twice")
  .optional()
  .meta({
    description:
      "Paths of webOrigin, as callbackURL and redirectTo of a letter's request name them; default: / alone",
  })
