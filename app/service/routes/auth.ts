import { drizzleAdapter } from "better-auth/adapters/drizzle"
import { isAPIError } from "better-auth/api"
import { betterAuth } from "better-auth/minimal"
import { waitUntil } from "cloudflare:workers"

import { createAttempts } from "../guard/attempts.ts"
import { createBrowserMarks } from "../guard/browser-marks.ts"
import { ipAddress } from "../guard/rate-limit.ts"
import type { Configuration } from "../platform/configuration/configuration.ts"
import type { Env } from "../platform/configuration/env.ts"
import { cookieScope, extendedUntil, sessionLifetime } from "../platform/cookie/browser-cookies.ts"
import { factors, roles, plans } from "../platform/database/auth.table.ts"
import { createId } from "../platform/database/database.ts"
import { log } from "../platform/http/log.ts"
import type { Dependencies } from "../session/endpoint.ts"
import { hashPassword, verifyPassword } from "../sign-in/password/password.ts"
import { createAuthHooks } from "./auth-hooks.ts"
import { createEndpoints } from "./endpoints.ts"

/** All paths of the library in the bundle that the service does not offer. A test fails if an update adds one. */
export const disabledPaths = [
  "/account-info",
  "/get-access-token",
  "/ok",
  "/refresh-token",
  "/update-session",
  "/verify-password",
]

type Options = Omit<Dependencies, "attempts" | "marks"> & {
  schema: Record<string, unknown>
  limit: Env["LIMIT_EMAIL"]
}

export function createAuth({ schema, limit, ...options }: Options) {
  const { configuration, database } = options
  const { keys, verifyEmail } = configuration
  const attempts = createAttempts(database, keys)
  const marks = createBrowserMarks(keys)
  const dependencies = { ...options, attempts, marks }
  return betterAuth({
    appName: "Accounts",
    baseURL: configuration.url,
    basePath: "/api/auth",
    secret: keys.first("session"),
    trustedOrigins: [...configuration.trustedOrigins],
    database: drizzleAdapter(database, { provider: "sqlite", schema }),
    // Reads a session or an account together with its user in one statement instead of two.
    experimental: { joins: true },
    disabledPaths,
    hooks: createAuthHooks({ configuration, limit, marks }),
    plugins: [{ id: "accounts", endpoints: createEndpoints(dependencies) }],
    // A callback without a matching sign-in redirects to the front end.
    onAPIError: { errorURL: configuration.webUrl, onError: rethrowUnexpected },
    account: { storeStateStrategy: "cookie" },
    telemetry: { enabled: false },
    logger: { level: "warn", log: logLibrary },
    emailAndPassword: {
      enabled: true,
      password: { hash: hashPassword, verify: verifyPassword },
      requireEmailVerification: verifyEmail,
    },
    // Hashed, so that a reader of the database cannot use the tokens that reset passwords.
    verification: { storeIdentifier: "hashed" },
    user: {
      additionalFields: {
        role: { type: [...roles], required: false, defaultValue: "member", input: false },
        plan: { type: [...plans], required: false, defaultValue: "free", input: false },
        planUntil: { type: "date", required: false, input: false },
      },
      deleteUser: { enabled: true },
    },
    session: {
      expiresIn: sessionLifetime,
      updateAge: sessionLifetime / 7,
      additionalFields: {
        remembered: { type: "boolean", required: false, defaultValue: true, input: false },
        factor: { type: [...factors], required: false, input: false },
        provenAt: { type: "date", required: false, input: false },
        name: { type: "string", required: false, input: false },
      },
    },
    databaseHooks: { session: { update: { before: limitExtension(configuration) } } },
    rateLimit: { enabled: false },
    advanced: {
      database: { generateId: ({ model }) => createId(model) },
      ...cookies(configuration),
      // Sending e-mail takes time: waiting for it would reveal which addresses have an account.
      backgroundTasks: { handler: waitUntil },
      ipAddress,
    },
  })
}

type Extension = { expiresAt?: Date }
type SessionTimes = { createdAt: Date; expiresAt: Date; remembered?: boolean }
type Extended = { context: { session: { session: SessionTimes } | null } }

/** Caps the library's weekly extension at `sessionDays`. */
function limitExtension({ sessionDays }: Configuration) {
  return async (data: Extension, context: Extended | null) => {
    const ownSession = context?.context.session?.session
    if (data.expiresAt === undefined || ownSession === undefined) return { data }
    const ages = { remembered: true, ...ownSession }
    return { data: { ...data, expiresAt: new Date(extendedUntil(ages, sessionDays, Date.now())) } }
  }
}

function cookies(configuration: Configuration) {
  const { cookieDomain } = configuration
  const { secure, prefix } = cookieScope(configuration)
  if (cookieDomain !== undefined) {
    const crossSubDomainCookies = { enabled: true, domain: cookieDomain }
    return { useSecureCookies: secure, cookiePrefix: prefix, crossSubDomainCookies }
  }
  // The library supports only __Secure-, which a sibling domain can set as well.
  return {
    useSecureCookies: false,
    cookiePrefix: `${secure ? "__Host-" : ""}${prefix}`,
    defaultCookieAttributes: { secure },
  }
}

/**
 * Drops possibly personal data: the library's extra arguments contain email addresses and SQL parameters, and the text
 * after a colon contains user input.
 */
function logLibrary(level: "debug" | "info" | "warn" | "error", message: unknown) {
  // Some callers pass an error instead of a string.
  const [event = ""] = (message instanceof Error ? message.name : String(message)).split(":", 1)
  log(level === "error" ? "error" : "warn", "auth", { message: event })
}

/** Rethrows unexpected errors, which the Worker's error handler logs. The library would log all errors. */
function rethrowUnexpected(error: unknown) {
  if (!isAPIError(error)) throw error
}
