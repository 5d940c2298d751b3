import { drizzleAdapter } from "better-auth/adapters/drizzle"
import { isAPIError } from "better-auth/api"
import { betterAuth } from "better-auth/minimal"
import { waitUntil } from "cloudflare:workers"

import type { Configuration } from "../configuration.ts"
import { type Database, schema } from "../database.ts"
import type { Env } from "../env.ts"
import { log } from "../http/log.ts"
import { createId } from "../identifier.ts"
import { plans } from "../plan/plan.ts"
import { createGuard } from "./auth-hooks.ts"
import { createLetters } from "./emails.ts"
import { keepLastOwner } from "./last-owner.ts"
import { checkNewUser } from "./new-user.ts"
import { passwordReset } from "./password-reset.ts"
import { hashPassword, verifyPassword } from "./password.ts"
import { disabledPaths } from "./paths.ts"
import { openidProviders } from "./provider/openid-plugin.ts"
import { roles } from "./role.ts"

const hidden = { required: false, input: false, returned: false } as const
const hour = 60 * 60
const day = 24 * hour

export type Auth = ReturnType<typeof createAuth>

type Options = {
  configuration: Configuration
  database: Database
  limit: Env["LIMIT_EMAIL"]
}

export function createAuth({ configuration, database, limit }: Options) {
  const { mail, url, webUrl } = configuration
  const letters = mail && createLetters({ sender: mail, url, webUrl })
  return betterAuth({
    appName: "Accounts",
    baseURL: configuration.url,
    basePath: "/api/auth",
    secret: configuration.secret.reveal(),
    trustedOrigins: [...configuration.trustedOrigins],
    database: drizzleAdapter(database, { provider: "sqlite", schema }),
    // One statement instead of two wherever a session or an account is read with its user.
    experimental: { joins: true },
    disabledPaths,
    hooks: createGuard({ configuration, database, limit }),
    plugins: [
      passwordReset(database),
      openidProviders({ providers: configuration.identityProviders, webUrl: configuration.webUrl }),
    ],
    // The web front end hears of answers that belong to no sign-in begun here.
    onAPIError: { errorURL: configuration.webUrl, onError: passOn },
    account: { storeStateStrategy: "cookie" },
    telemetry: { enabled: false },
    logger: { level: "warn", log: logLibrary },
    emailAndPassword: {
      enabled: true,
      password: { hash: hashPassword, verify: verifyPassword },
      requireEmailVerification: configuration.verifyEmail,
      resetPasswordTokenExpiresIn: hour,
      ...letters?.password,
    },
    emailVerification: {
      expiresIn: day,
      sendOnSignUp: true,
      sendOnSignIn: true,
      ...letters?.verification,
    },
    user: {
      additionalFields: {
        role: { type: [...roles], required: false, defaultValue: "member", input: false },
        plan: { type: [...plans], required: false, defaultValue: "free", input: false },
        planUntil: { type: "date", required: false, input: false },
        signInFailures: { ...hidden, type: "number", defaultValue: 0 },
        signInFailuresSince: { ...hidden, type: "date" },
      },
      deleteUser: { enabled: true, beforeDelete: (leaver) => keepLastOwner(database, leaver) },
    },
    databaseHooks: { user: { create: { before: checkNewUser } } },
    session: { expiresIn: 7 * day, updateAge: day },
    rateLimit: { enabled: false },
    advanced: {
      database: { generateId: ({ model }) => createId(model) },
      ...cookies(configuration),
      // A mail takes as long as its sender does: waiting would tell which addresses have an account.
      backgroundTasks: { handler: waitUntil },
      ipAddress: { ipAddressHeaders: ["cf-connecting-ip"] },
    },
  })
}

/**
 * The name differs with the scope: a host-only cookie left in a browser would otherwise shadow the
 * shared one after AUTH_COOKIE_DOMAIN is set.
 */
function cookies({ cookieDomain, permanent, url }: Configuration) {
  return {
    useSecureCookies: permanent || url.startsWith("https://"),
    cookiePrefix: cookieDomain === undefined ? "accounts-host" : "accounts",
    ...(cookieDomain === undefined
      ? {}
      : { crossSubDomainCookies: { enabled: true, domain: cookieDomain } }),
  }
}

/**
 * The library's arguments hold addresses and statements' parameters, and what follows a colon is
 * what somebody sent: neither is kept.
 */
function logLibrary(level: "debug" | "info" | "warn" | "error", message: string) {
  const [event = ""] = message.split(":", 1)
  log(level === "error" ? "error" : "warn", "auth", { message: event })
}

/** What was not answered on purpose is reported at the edge; the library would print all of it. */
function passOn(error: unknown) {
  if (!isAPIError(error)) throw error
}
