import { and, eq } from "drizzle-orm"
import * as z from "zod"

import { user } from "../auth/auth.table.ts"
import { Image, Name } from "../auth/new-user.ts"
import { roles } from "../auth/role.ts"
import { endOfPeriod, limits, metrics, periodOf, planOf, plans } from "../plan/plan.ts"
import { usage } from "../plan/usage.table.ts"
import { member, nearReader, open, readCaller } from "../rpc/procedures.ts"

const tags = ["user"]

export const Profile = z.object({
  id: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  name: z.string(),
  image: z.string().nullable(),
  role: z.enum(roles),
  createdAt: z.date(),
})

const whoami = open
  .route({
    method: "GET",
    path: "/whoami",
    summary: "Get the signed-in user, or null",
    tags,
  })
  .output(z.object({ user: Profile.pick({ id: true, name: true, role: true }).nullable() }))
  .handler(async ({ context }) => ({ user: await readCaller(context) }))

const getProfile = member
  .route({ method: "GET", path: "/getProfile", summary: "Get your profile", tags })
  .output(Profile)
  .handler(({ context }) => context.member)

const updateProfile = member
  .route({ method: "POST", path: "/updateProfile", summary: "Change your name or image", tags })
  .input(z.strictObject({ name: Name.optional(), image: Image.nullable().optional() }))
  .output(Profile)
  .handler(async ({ context, input }) => {
    // Only what was sent: writing the rest back would undo a change made at the same time.
    const [changed] = await context.services.database
      .update(user)
      .set({ ...input, updatedAt: new Date() })
      .where(eq(user.id, context.member.id))
      .returning({ name: user.name, image: user.image })
    return { ...context.member, ...changed }
  })

const Usage = z.object({ metric: z.enum(metrics), used: z.int(), limit: z.int() })

const getPlanAndUsage = nearReader
  .route({
    method: "GET",
    path: "/getPlanAndUsage",
    summary: "Get your plan and this month's usage",
    tags,
  })
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
    const { database } = context.services
    const {
      caller,
      results: [rows],
    } = await context.ask((callerId) => [
      database
        .select({ metric: usage.metric, count: usage.count })
        .from(usage)
        .where(and(eq(usage.userId, callerId), eq(usage.period, periodOf(now)))),
    ])
    const plan = planOf(caller, now)
    const used = new Map(rows.map(({ metric, count }) => [metric, count]))
    return {
      plan,
      planUntil: plan === "free" ? null : caller.planUntil,
      usage: metrics.map((metric) => ({
        metric,
        used: used.get(metric) ?? 0,
        limit: limits[plan][metric],
      })),
      resetsAt: endOfPeriod(now),
    }
  })

export const users = { whoami, getProfile, updateProfile, getPlanAndUsage }
