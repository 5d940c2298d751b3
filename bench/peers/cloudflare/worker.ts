import { betterAuth } from "better-auth"
import { withCloudflare } from "better-auth-cloudflare"
import { anonymous } from "better-auth/plugins"
import { drizzle } from "drizzle-orm/d1"
import { Hono } from "hono"
import { cors } from "hono/cors"

import { listEntries } from "../entry.ts"
import * as schema from "./schema.ts"

type Bindings = { DATABASE: D1Database; KV: KVNamespace; BETTER_AUTH_URL: string }

// As its Hono example has it: built anew for every request, with KV before the database. Left out
// is what would only slow it down: logs of every statement and the limit of requests.
function createAuth(env: Bindings, request: Request) {
  return betterAuth({
    baseURL: env.BETTER_AUTH_URL,
    ...withCloudflare(
      {
        autoDetectIpAddress: true,
        geolocationTracking: true,
        cf: request.cf ?? {},
        d1: { db: drizzle(env.DATABASE, { schema }), options: { usePlural: true } },
        kv: env.KV,
      },
      {
        emailAndPassword: { enabled: true },
        plugins: [anonymous()],
        rateLimit: { enabled: false },
      },
    ),
  })
}

const app = new Hono<{ Bindings: Bindings; Variables: { auth: ReturnType<typeof createAuth> } }>()

app.use(
  "/api/auth/**",
  cors({
    origin: "*",
    allowHeaders: ["Content-Type", "Authorization"],
    allowMethods: ["POST", "GET", "OPTIONS"],
    exposeHeaders: ["Content-Length"],
    credentials: true,
    maxAge: 600,
  }),
)
app.use("*", async (context, next) => {
  context.set("auth", createAuth(context.env, context.req.raw))
  await next()
})
app.all("/api/auth/*", (context) => context.var.auth.handler(context.req.raw))
app.get("/health", (context) => context.json({ status: "ok" }))
app.get("/profile", async (context) => {
  const session = await context.var.auth.api.getSession({ headers: context.req.raw.headers })
  return session === null
    ? context.json({ message: "Unauthorized" }, 401)
    : context.json(session.user)
})
app.get("/entries", async (context) => {
  const session = await context.var.auth.api.getSession({ headers: context.req.raw.headers })
  if (session === null) return context.json({ message: "Unauthorized" }, 401)
  return context.json(await listEntries(drizzle(context.env.DATABASE), session.user.id))
})

export default app
