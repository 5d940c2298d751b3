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
import { createAuthHooks } from "./auth-hooks.ts"
import { createEmails } from "./emails.ts"
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
  const emails = mail && createEmails({ sender: mail, url, webUrl })
  return betterAuth({
    appName: "Accounts",
    baseURL: configuration.url,
    basePath: "/api/auth",
    secret: configuration.secret.reveal(),
    trustedOrigins: [...configuration.trustedOrigins],
    database: drizzleAdapter(database, { provider: "sqlite", schema }),
    // Reads a session or an account together with its user in one statement instead of two.
    experimental: { joins: true },
    disabledPaths,
    hooks: createAuthHooks({ configuration, database, limit }),
    plugins: [
      passwordReset(database),
      openidProviders({ providers: configuration.identityProviders, webUrl: configuration.webUrl }),
    ],
    // Callbacks without a matching sign-in redirect to the web front end.
    onAPIError: { errorURL: configuration.webUrl, onError: rethrowUnexpected },
    account: { storeStateStrategy: "cookie" },
    telemetry: { enabled: false },
    logger: { level: "warn", log: logLibrary },
    emailAndPassword: {
      enabled: true,
      password: { hash: hashPassword, verify: verifyPassword },
      requireEmailVerification: configuration.verifyEmail,
      resetPasswordTokenExpiresIn: hour,
      ...emails?.password,
    },
    emailVerification: {
      expiresIn: day,
      sendOnSignUp: true,
      sendOnSignIn: true,
      ...emails?.verification,
    },
    user: {
      additionalFields: {
        role: { type: [...roles], required: false, defaultValue: "member", input: false },
        plan: { type: [...plans], required: false, defaultValue: "free", input: false },
        planUntil: { type: "date", required: false, input: false },
        signInFailures: { ...hidden, type: "number", defaultValue: 0 },
        signInFailuresSince: { ...hidden, type: "date" },
      },
      deleteUser: { enabled: true, beforeDelete: (leaving) => keepLastOwner(database, leaving) },
    },
    databaseHooks: { user: { create: { before: checkNewUser } } },
    session: { expiresIn: 7 * day, updateAge: day },
    rateLimit: { enabled: false },
    advanced: {
      database: { generateId: ({ model }) => createId(model) },
      ...cookies(configuration),
      // Sending e-mail takes time: waiting for it would reveal which addresses have an account.
      backgroundTasks: { handler: waitUntil },
      ipAddress: { ipAddressHeaders: ["cf-connecting-ip"] },
    },
  })
}

/**
 * The prefix depends on the cookie's scope: under one name, a host-only cookie left in a browser
 * would shadow the shared one once AUTH_COOKIE_DOMAIN is set.
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
 * Drops what may be personal: the library's extra arguments contain e-mail addresses and SQL
 * parameters, and the text after a colon contains user input.
 */
function logLibrary(level: "debug" | "info" | "warn" | "error", message: string) {
  const [event = ""] = message.split(":", 1)
  log(level === "error" ? "error" : "warn", "auth", { message: event })
}

/** Unexpected errors are logged by the Worker's error handler; the library would log all of them. */
function rethrowUnexpected(error: unknown) {
  if (!isAPIError(error)) throw error
}
