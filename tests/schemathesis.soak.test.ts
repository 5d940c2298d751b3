import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { ask, cookieOf } from "./testing/ask.ts"
import { openGateway } from "./testing/browser/gateway.ts"
import { deployLocal, type Deployed } from "./testing/deployed.ts"
import { openSandboxes } from "./testing/sandboxes.ts"
import { runSchemathesis, schemathesisMissing } from "./testing/schemathesis.ts"

const full = process.env["SOAK_BUDGET"] === "full"
const seed = process.env["SOAK_SEED"] ?? "1"
const password = "correct horse battery"

const missing = await schemathesisMissing()
const note = missing ? ` skipped: ${missing}` : ""

/** Operations after which a session is no longer what it was. */
const ending = /^\/api\/auth\/(?:sign-out|revoke-.+|change-password|delete-user|reset-password)$/

/** Who asks, for what, and how often at least in a full run. */
const runs = [
  { who: "nobody", what: "^/api/", atLeast: 1500 },
  { who: "member", what: "^/api/", atLeast: 1500 },
  { who: "owner", what: "^/api/v1/", atLeast: 800 },
]

/**
 * What a request that fits the description may be refused with all the same: it depends on what is
 * stored (a token, a plan, an address that is taken), which no description of a request can say.
 */
const refusals = [
  ["^/api/auth/(sign-up|reset-password|verify-email|change-password|delete-user)", [400, 422]],
  ["^/api/auth/(request-password-reset|send-verification-email)", [400]],
  ["^/api/v1/(createEntry|createResult|unlockDeepInsights)", [402]],
  ["^/api/v1/(processWebhook|list|exportData|readMember)", [400]],
] as const

const accepted = ["2xx", "3xx", 401, 403, 404, 409, 429]

function configurationFor(who: string) {
  const session = who === "nobody" ? [] : ["[auth.openapi.session]", `api_key = "${who}"`]
  const operations = refusals.flatMap(([pattern, statuses]) => [
    "[[operations]]",
    `include-path-regex = '${pattern}'`,
    `checks.positive_data_acceptance.expected-statuses = ${JSON.stringify([...accepted, ...statuses])}`,
  ])
  return [...session, ...operations, ""].join("\n")
}

describe.skipIf(missing !== undefined)(`[schemathesis]${note}`, () => {
  let resources: AsyncDisposableStack
  let deployed: Deployed
  let directory: string

  beforeAll(async () => {
    resources = new AsyncDisposableStack()
    directory = mkdtempSync(join(tmpdir(), "accounts-schemathesis-"))
    resources.defer(() => rmSync(directory, { recursive: true, force: true }))
    const sandboxes = resources.use(await openSandboxes())
    deployed = resources.use(await deployLocal(sandboxes.overrides))
  })

  afterAll(async () => {
    await resources?.disposeAsync()
  })

  let people = 0

  async function signUp(role: string, localAddress: string) {
    const email = `person-${(people += 1)}@example.com`
    const { url, database } = deployed
    const answer = await ask(`${url}/api/auth/sign-up/email`, {
      localAddress,
      headers: { origin: url },
      body: { name: "Ada", email, password },
    })
    expect(answer.status).toBe(200)
    if (role !== "member") {
      await database.change(`UPDATE user SET role = '${role}' WHERE email = '${email}'`)
    }
    return cookieOf(answer)
  }

  /** Sessions by name; one that is to end is nobody else's. */
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
    "$who gets the described answers (seed " + seed + ")",
    async ({ who, what, atLeast }, { annotate }) => {
      const target = deployed.url
      await using gateway = await openGateway({ target, sessionOf: createSessions(who) })
      const { code, output } = await runSchemathesis(directory, configurationFor(who), [
        `${gateway.url}/api/v1/openapi.json`,
        `--include-path-regex=${what}`,
        `--header=Origin: ${target}`,
        `--seed=${seed}`,
        `--max-examples=${full ? 10 : 3}`,
        `--phases=${full ? "examples,coverage,fuzzing,stateful" : "examples,fuzzing"}`,
        "--checks=all",
        "--continue-on-failure",
        "--max-redirects=0",
        // Its own limit is ten seconds, which a busy machine takes for a password now and then.
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
      expect(new Set(successes).size).toBeGreaterThan(who === "nobody" ? 5 : 12)
    },
  )
})
