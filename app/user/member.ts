import type { Auth } from "../auth/auth.ts"
import { withPlanOf } from "../plan/plan.ts"

type Session = NonNullable<Awaited<ReturnType<Auth["api"]["getSession"]>>>

type Known = { user: Omit<Session["user"], "updatedAt"> }

export type Member = ReturnType<typeof memberOf>

/** The session's user, with defaults where the library's types are optional and the table is not. */
export function memberOf({ user }: Known) {
  return withPlanOf({
    id: user.id,
    email: user.email,
    emailVerified: user.emailVerified,
    name: user.name,
    image: user.image ?? null,
    role: user.role ?? "member",
    plan: user.plan ?? "free",
    planUntil: user.planUntil ?? null,
    createdAt: user.createdAt,
  })
}
