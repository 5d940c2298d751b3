import * as z from "zod"

const Audience = z
  .string()
  .regex(
    /^[A-Za-z0-9][\w.:/-]{0,199}$/,
    "must be the name or the origin of a service such as https://orders.example.com",
  )

/** Tokens for other services, as a stack file and the binding TOKENS have them. */
export const TokenSettings = z.strictObject({
  audiences: z
    .array(Audience)
    .min(1)
    .refine((list) => new Set(list).size === list.length, "must not name one thing twice"),
  /** A token cannot be taken back: it outlives a sign-out by as much. */
  minutes: z.int().min(1).max(60).default(5),
})

export type TokenSettings = z.infer<typeof TokenSettings>
