import { APIError } from "better-auth/api"
import * as z from "zod"

import { isSmokeAddress } from "./smoke.ts"

export const Name = z
  .string()
  .trim()
  .min(1, "Name must not be empty")
  .max(100, "Name must have 100 characters or fewer")

/** Shown to other people's browsers, so no `data:` and no plain http. */
export const Image = z
  .url({ protocol: /^https$/, error: "Image must be an https URL" })
  .max(2048, "Image must have 2048 characters or fewer")

const NewUser = z.object({
  name: Name,
  email: z
    .string()
    .max(254, "E-mail address must have 254 characters or fewer")
    // As mail servers have it, whatever a pattern says.
    .regex(/^[^@]{1,64}@/, "E-mail address must have 64 characters or fewer before its @"),
  image: Image.nullish(),
})

/** The library checks none of these lengths. */
export async function checkNewUser(user: Record<string, unknown>) {
  const parsed = NewUser.safeParse(user)
  if (parsed.success) {
    // Nobody reads the mail of such an address; its code has shown that a release asked for it.
    const verified = isSmokeAddress(parsed.data.email) ? { emailVerified: true } : {}
    return { data: { ...user, ...parsed.data, ...verified } }
  }
  const [issue] = parsed.error.issues
  throw new APIError("BAD_REQUEST", {
    code: `INVALID_${String(issue?.path[0]).toUpperCase()}`,
    message: issue?.message ?? "Invalid",
  })
}
