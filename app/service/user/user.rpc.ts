import { and, eq, sql } from "drizzle-orm"
import * as z from "zod"

import { endOfPeriod, limits, metrics, periodOf, planOf, plans } from "../../plan/plan.ts"
import { usage } from "../../plan/usage.table.ts"
import { session, user } from "../auth/auth.table.ts"
import { isCurrent } from "../auth/caller.ts"
import { Image, Name, OwnProfile, Profile } from "../auth/profile.ts"
import { preparedOnce } from "../database/database.ts"
import { failures } from "../http/failure.ts"
import { counted, member, nearReader } from "../rpc/procedures.ts"

const whoami = counted
  .route({ method: "GET", summary: "Get the signed-in user, or null" })
  .output(z.object({ user: Profile.pick({ id: true, name: true, role: true }).nullable() }))
  .handler(async ({ context }) => ({
    user: (await context.services.sessions.read(context.headers))?.user ?? null,
  }))

const getProfile = member
  .route({ method: "GET", summary: "Get your profile" })
  .output(OwnProfile)
  .handler(({ context }) => context.member)

const updateProfile = member
  .route({ summary: "Change your name, image or language" })
  .input(
    z.strictObject({
      name: Name.optional(),
      image: Image.nullable().optional(),
      language: OwnProfile.shape.language.optional(),
    }),
  )
  .output(OwnProfile)
  .handler(async ({ context, input, errors }) => {
    // Only what was sent: writing the rest back would undo a change made at the same time.
    const [changed] = await context.services.database
      .update(user)
      .set({ ...input, updatedAt: new Date() })
      .where(and(eq(user.id, context.member.id), context.isSignedIn))
      .returning({ name: user.name, image: user.image, language: user.language })
    if (changed === undefined) throw errors.UNAUTHORIZED()
    return { ...context.member, ...changed }
  })

const Usage = z.object({ metric: z.enum(metrics), used: z.int(), limit: z.int() })

const planAndUsage = preparedOnce((database) =>
  database
    .select({
      callerId: session.userId,
      plan: user.plan,
      planUntil: user.planUntil,
      row: { metric: usage.metric, count: usage.count },
    })
    .from(session)
    .innerJoin(user, eq(user.id, session.userId))
    .leftJoin(
      usage,
      and(eq(usage.userId, session.userId), eq(usage.period, sql.placeholder("period"))),
    )
    .where(isCurrent)
    .prepare(),
)

const getPlanAndUsage = nearReader
  .route({ method: "GET", summary: "Get your plan and this month's usage" })
  .output(
    z.object({
      plan: z.enum(plans),
      planUntil: z.date().nullable(),
      usage: z.array(Usage),
      resetsAt: z.date(),
    }),
  )
  .handler(async ({ context }) => {
    const now = new Date()
    const rows = await context.askOnce(planAndUsage, { period: periodOf(now) })
    const [{ plan: stored, planUntil }] = rows
    const plan = planOf({ plan: stored, planUntil }, now)
    const used = new Map(rows.map(({ row }) => [row?.metric, row?.count]))
    return {
      plan,
      planUntil: plan === "free" ? null : planUntil,
      usage: metrics.map((metric) => ({
        metric,
        used: used.get(metric) ?? 0,
        limit: limits[plan][metric],
      })),
      resetsAt: endOfPeriod(now),
    }
  })

export const users = { whoami, getProfile, updateProfile, getPlanAndUsage }

const renameSession = member
  .route({
    summary: "Name a device of yours",
    description: "Lists of sessions show the name beside what the browser says of itself.",
  })
  .errors({ NOT_FOUND: { status: failures.NOT_FOUND.status, message: "Session not found" } })
  .input(
    z.strictObject({
      sessionId: z.string().max(64),
      name: Name.nullable().describe("Null: none"),
    }),
  )
  .output(z.object({ id: z.string(), name: z.string().nullable() }))
  .handler(async ({ context, input: { sessionId, name }, errors }) => {
    const own = and(eq(session.id, sessionId), eq(session.userId, context.member.id))
    const [renamed] = await context.services.database
      .update(session)
      .set({ name })
      .where(and(own, context.isSignedIn))
      .returning({ id: session.id, name: session.name })
    if (renamed === undefined) throw errors.NOT_FOUND()
    return renamed
  })

export const devices = { renameSession }
