import { drizzleAdapter } from "better-auth/adapters/drizzle"
import { betterAuth } from "better-auth/minimal"
import { expect, test } from "vitest"

import { schema } from "../../schema.ts"
import { servicesOf } from "../../services.ts"
import { bind } from "../../testing/browser.ts"
import { readProviders } from "../platform/configuration/provider.ts"
import { disabledPaths } from "./auth.ts"
import { offeredPaths } from "./endpoints.ts"

const services = servicesOf(bind())
if (services === null) throw new Error("the tests' bindings are misconfigured")
const { api, options } = services.auth
const endpoints = options.plugins.flatMap((plugin) => Object.entries(plugin.endpoints))

test("every path of the authentication library is either offered or disabled", () => {
  const served = Object.values(api).flatMap((endpoint) =>
    "path" in endpoint && typeof endpoint.path === "string" ? [endpoint.path] : [],
  )
  expect(served.length).toBeGreaterThan(20)
  expect([...offeredPaths.map(({ path }) => path), ...disabledPaths].toSorted()).toEqual(
    [...new Set(served)].toSorted(),
  )
})

/** Endpoints of this service that the library does not have. */
const ownEndpoints = [
  "addPasskey",
  "passkeyBegin",
  "sendCode",
  "signInCode",
  "signInPasskey",
  "signInProvider",
  "signInSecondFactor",
  "stepUp",
  "stepUpBegin",
  "verifyEmailWithPassword",
]

test("an endpoint that replaces one of the library's has its name and its path", () => {
  const database = drizzleAdapter({}, { provider: "sqlite", schema })
  const bare: Record<string, unknown> = betterAuth({ database, logger: { disabled: true } }).api
  expect(endpoints.length).toBeGreaterThan(15)
  const added = endpoints.filter(([name]) => !(name in bare)).map(([name]) => name)
  expect(added.toSorted()).toEqual(ownEndpoints)
  // Endpoints whose modules the bundle leaves out have only a name.
  const moved = endpoints.filter(([name, { path }]) => {
    const library = bare[name]
    if (typeof library !== "function" || !("path" in library)) return false
    return typeof library.path === "string" && library.path !== path
  })
  expect(moved.map(([name]) => name)).toEqual([])
})

test("no provider is called by a word that a path or an account has already", () => {
  const words = offeredPaths.flatMap(({ path }) => /^\/sign-in\/(\w[\w-]*)/.exec(path)?.[1] ?? [])
  expect(words).toContain("second-factor")
  for (const word of [...words, "credential", "password", "social"]) {
    const declared = { [word]: { issuer: "https://id.example" } }
    const { problems } = readProviders({ IDENTITY_PROVIDERS: JSON.stringify(declared) })
    expect(problems).toContain(`IDENTITY_PROVIDERS.${word}: the name is reserved`)
  }
})
