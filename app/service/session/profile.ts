import * as z from "zod"

import { type Plan, plans, roles, suspensionReasons } from "../platform/database/auth.table.ts"
import { languages } from "../platform/mail/language.ts"
import { isVisible, listedValue } from "../platform/rpc/fields.ts"

/* Control characters, line and paragraph separators, bidirectional marks, lone surrogates. */
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

/* Views of a user. Each field is a column of the same name; queries and responses derive from these schemas. */

export const Profile = z.object({
  id: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  name: z.string(),
  image: z.string().nullable(),
  role: z.enum(roles),
  createdAt: z.date(),
})

const language = z.enum(languages).nullable()

export const OwnProfile = Profile.extend({ language })

const PlannedProfile = Profile.extend({ plan: z.enum(plans), planUntil: z.date().nullable() })

/** The user as a session returns it. */
export const SessionUser = PlannedProfile.extend({ updatedAt: z.date() })

/** The user as admins see it. */
export const ListedUser = PlannedProfile.extend({
  suspendedAt: z.date().nullable(),
  suspendedFor: listedValue(suspensionReasons).nullable(),
  deleteAt: z.date().nullable(),
})

/** The user as its owner exports it. */
export const ExportedProfile = ListedUser.extend({
  language: listedValue(languages).nullable(),
  secondFactorSince: z.date().nullable(),
  updatedAt: z.date(),
})

/** A plan that has ended counts as free. */
export function planOf(user: { plan: Plan; planUntil: Date | null }, now: Date): Plan {
  return user.planUntil !== null && user.planUntil <= now ? "free" : user.plan
}

/** Replaces an ended plan with the free plan. Every response with a user needs it. */
export function withPlanOf<Planned extends { plan: Plan; planUntil: Date | null }>(user: Planned) {
  const plan = planOf(user, new Date())
  return { ...user, plan, planUntil: plan === "free" ? null : user.planUntil }
}
