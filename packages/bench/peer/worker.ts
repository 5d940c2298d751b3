import { betterAuth } from "better-auth"
import { drizzleAdapter } from "better-auth/adapters/drizzle"
import { env } from "cloudflare:workers"
import { desc, eq } from "drizzle-orm"
import { drizzle } from "drizzle-orm/d1"
import { Hono } from "hono"
import { createMiddleware } from "hono/factory"

import * as schema from "./schema.ts"

// Has one instance for the isolate's life and the session in a middleware, as better-auth's page on Hono
// has it. An instance per request, as Hono's page on Workers has it, is slower.
const database = drizzle(env.DB, { schema })

const auth = betterAuth({
  baseURL: env.BETTER_AUTH_URL,
  secret: env.BETTER_AUTH_SECRET,
  database: drizzleAdapter(database, { provider: "sqlite", schema }),
  emailAndPassword: { enabled: true },
})

type Session = typeof auth.$Infer.Session

const signedIn = createMiddleware<{ Variables: { session: Session } }>(async (context, next) => {
  const session = await auth.api.getSession({ headers: context.req.raw.headers })
  if (session === null) return context.json({ message: "Unauthorized" }, 401)
  context.set("session", session)
  await next()
  return undefined
})

/** As little as a list takes: no paging, nothing parsed, nothing validated on the way out. */
async function listEntries(userId: string) {
  const { id, mood, text, promptId, createdAt } = schema.entry
  const items = await database
    .select({ id, mood, text, promptId, createdAt })
    .from(schema.entry)
    .where(eq(schema.entry.userId, userId))
    .orderBy(desc(createdAt), desc(id))
    .limit(21)
  return { items }
}

const app = new Hono()
app.all("/api/auth/*", (context) => auth.handler(context.req.raw))
app.get("/health", (context) => context.json({ status: "ok" }))
app.get("/profile", signedIn, (context) => context.json(context.var.session.user))
app.get("/entries", signedIn, async (context) =>
  context.json(await listEntries(context.var.session.user.id)),
)

export default app
