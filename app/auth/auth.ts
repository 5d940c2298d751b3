import { drizzleAdapter } from "better-auth/adapters/drizzle"
import { betterAuth } from "better-auth/minimal"

import type { Configuration } from "../configuration.ts"
import { type Database, schema } from "../database.ts"
import { log } from "../http/log.ts"
import { createId } from "../identifier.ts"
import { hashPassword, verifyPassword } from "./password.ts"
import { disabledPaths } from "./paths.ts"
import { roles } from "./role.ts"

const day = 24 * 60 * 60

export type Auth = ReturnType<typeof createAuth>

export const createAuth = (configuration: Configuration, database: Database) =>
  betterAuth({
    appName: "Accounts",
    baseURL: configuration.url,
    basePath: "/api/auth",
    secret: configuration.secret.reveal(),
    trustedOrigins: [...configuration.trustedOrigins],
    database: drizzleAdapter(database, { provider: "sqlite", schema }),
    // One statement instead of two wherever a session or an account is read with its user.
    experimental: { joins: true },
    disabledPaths,
    telemetry: { enabled: false },
    logger: { level: "warn", log: logLibrary },
    emailAndPassword: {
      enabled: true,
      password: { hash: hashPassword, verify: verifyPassword },
    },
    user: {
      additionalFields: {
        role: { type: [...roles], required: false, defaultValue: "member", input: false },
      },
    },
    session: { expiresIn: 7 * day, updateAge: day },
    rateLimit: { enabled: false },
    advanced: {
      database: { generateId: ({ model }) => createId(model) },
      ...cookies(configuration),
      ipAddress: { ipAddressHeaders: ["cf-connecting-ip"] },
    },
  })

/**
 * The name differs with the scope: a host-only cookie left in a browser would otherwise shadow the
 * shared one after AUTH_COOKIE_DOMAIN is set.
 */
const cookies = ({ cookieDomain, permanent, url }: Configuration) => ({
  useSecureCookies: permanent || url.startsWith("https://"),
  cookiePrefix: cookieDomain === undefined ? "accounts-host" : "accounts",
  ...(cookieDomain === undefined
    ? {}
    : { crossSubDomainCookies: { enabled: true, domain: cookieDomain } }),
})

/** The library's arguments hold addresses and statements' parameters: only the message is kept. */
const logLibrary = (level: "debug" | "info" | "warn" | "error", message: string) => {
  log(level === "error" ? "error" : "warn", "auth", { message })
}
