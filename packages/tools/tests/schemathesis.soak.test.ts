import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import type { Database } from "@accounts-stack/d1-migrations/d1"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { openGateway } from "./testing/browser/gateway.ts"
import { databaseAt } from "./testing/owner-fixtures.ts"
import { openSandboxes } from "./testing/sandboxes.ts"
import { cookieHeader, sendRequest } from "./testing/send-request.ts"
import { runSchemathesis, schemathesisMissing } from "./testing/soak/schemathesis.ts"
import { openStacks } from "./testing/stacks/test-stacks.ts"

const full = process.env["SOAK_BUDGET"] === "full"
const seed = process.env["SOAK_SEED"] ?? "1"
const password = "correct horse battery"

const missing = await schemathesisMissing()
const note = missing ? ` skipped: ${missing}` : ""

/** Operations that end or change their session. */
const ending = /^\/api\/auth\/(?:sign-out|revoke-.+|change-password|delete-user|reset-password)$/

/** Callers, the paths they call, and the minimum number of requests in a full run. */
const runs = [
  { who: "visitor", what: "^/api/", atLeast: 1500 },
  { who: "member", what: "^/api/", atLeast: 1500 },
  { who: "admin", what: "^/api/v1/", atLeast: 800 },
  { who: "owner", what: "^/api/v1/", atLeast: 800 },
]

/**
 * Statuses that may reject a request even though it fits the description: they depend on the time or on
 * stored data (a token, a plan, a taken address), which a description of requests cannot express.
 */
const refusals = [
  [
    "^/api/auth/(sign-up|reset-password|verify-email|change-password|step-up|delete-user|unlink-account|sign-in/second-factor|sign-in/code$)",
    [400, 422],
  ],
  // Responses of an authenticator are bytes: a description knows only their alphabet.
  ["^/api/auth/(passkey/add|step-up)", [400]],
  ["^/api/auth/(request-password-reset|send-verification-email)", [400]],
  ["^/api/v1/inviteUser", [422]],
  ["^/api/v1/(confirmEmail|confirmTotp)", [400]],
  ["^/api/v1/(createEntry|createResult|unlockDeepInsights)", [402]],
  // A name may have any printable characters, which no pattern says to every reader of descriptions.
  [
    "^/api/v1/(updateProfile|rename(Passkey|Session)|processWebhook|list|exportData|readMember|grantPremium)",
    [400],
  ],
] as const

const accepted = ["2xx", "3xx", 401, 403, 404, 409, 429]

function configurationFor(who: string) {
  const session = who === "visitor" ? [] : ["[auth.openapi.session]", `api_key = "${who}"`]
  const operations = refusals.flatMap(([pattern, statuses]) => [
    "[[operations]]",
    `include-path-regex = '${pattern}'`,
    `checks.positive_data_acceptance.expected-statuses = ${JSON.stringify([...accepted, ...statuses])}`,
  ])
  return [...session, ...operations, ""].join("\n")
}

/** Which origins are trusted, the environment says, and no description: here all pages are its own. */
function withOwnPages(description: string, url: string) {
  const page = { type: "string", enum: [`${url}/`] }
  return JSON.stringify(
    JSON.parse(description, (name, value: unknown) => {
      if (/^(?:callbackURL|errorCallbackURL|newUserCallbackURL)$/.test(name)) {
        return typeof value === "string" ? `${url}/` : page
      }
      const isPage = typeof value === "object" && String(Object(value)["name"]).endsWith("URL")
      return isPage ? { ...value, schema: page } : value
    }),
  )
}

describe.skipIf(missing !== undefined)(`[schemathesis]${note}`, () => {
  let resources: AsyncDisposableStack
  let url: string
  let database: Database
  let directory: string

  beforeAll(async () => {
    resources = new AsyncDisposableStack()
    directory = mkdtempSync(join(tmpdir(), "accounts-schemathesis-"))
    resources.defer(() => rmSync(directory, { recursive: true, force: true }))
    const sandboxes = resources.use(await openSandboxes())
    const local = await resources.use(await openStacks()).local(sandboxes.overrides)
    const { outputs } = await local.up()
    url = String(outputs["url"])
    database = databaseAt(local.cloudflare, String(outputs["databaseId"]))
  })

  afterAll(async () => {
    await resources?.disposeAsync()
  })

  let people = 0

  async function signUp(role: string, localAddress: string) {
    const email = `person-${(people += 1)}@example.com`
    const answer = await sendRequest(`${url}/api/auth/sign-up/email`, {
      localAddress,
      headers: { origin: url },
      body: { name: "Ada", email, password },
    })
    expect(answer.status).toBe(200)
    if (role !== "member") {
      await database.change(`UPDATE user SET role = '${role}' WHERE email = '${email}'`)
    }
    return cookieHeader(answer)
  }

  /** Sessions by name. An operation that ends its session gets a session of its own. */
  function createSessions(who: string) {
    let open: Promise<string> | undefined
    return async (name: string, path: string, from: string) => {
      if (name !== who) return undefined
      if (ending.test(path)) return signUp(who, from)
      open ??= signUp(who, from)
      return open
    }
  }

  test.for(runs)(
    "$who gets only answers that fit the OpenAPI description (seed " + seed + ")",
    async ({ who, what, atLeast }, { annotate }) => {
      await using gateway = await openGateway({ target: url, sessionOf: createSessions(who) })
      const described = await sendRequest(`${url}/api/v1/openapi.json`)
      const description = join(directory, `${who}.json`)
      writeFileSync(description, withOwnPages(described.text, url))
      const { code, output } = await runSchemathesis(directory, configurationFor(who), [
        description,
        `--url=${gateway.url}`,
        `--include-path-regex=${what}`,
        `--header=Origin: ${url}`,
        `--seed=${seed}`,
        `--max-examples=${full ? 10 : 3}`,
        `--phases=${full ? "examples,coverage,fuzzing,stateful" : "examples,fuzzing"}`,
        "--checks=all",
        "--continue-on-failure",
        "--max-redirects=0",
        // The default of ten seconds is too short for hashing a password on a busy machine.
        "--request-timeout=120",
        "--warnings=off",
        "--suppress-health-check=all",
      ])
      const { exchanges } = gateway
      await annotate(`${who}: ${exchanges.length} requests, seed ${seed}`)
      expect(exchanges.filter(({ status }) => status === 0)).toEqual([])
      expect(code, output.replaceAll(/(?:%[0-9A-F]{2}){50,}/g, "…").slice(-20_000)).toBe(0)
      expect(exchanges.filter(({ status }) => status >= 500)).toEqual([])
      expect(exchanges.length).toBeGreaterThanOrEqual(full ? atLeast : 50)
      const successes = exchanges.filter(({ status }) => status < 300).map(({ path }) => path)
      // Were all refused at the door, nothing behind it would have been tried.
      expect(new Set(successes).size).toBeGreaterThan(who === "visitor" ? 5 : 12)
    },
  )
})
