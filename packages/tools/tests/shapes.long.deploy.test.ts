import { join } from "node:path"

import { callLocal } from "@accounts-stack/local/cloudflare/testing/call-local"
import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"

import { accountContents, emptyAccount } from "./testing/account-contents.ts"
import { listAccount } from "./testing/call-account.ts"
import { createProxiedRecord } from "./testing/proxied-record.ts"
import { readTree } from "./testing/read-tree.ts"
import { expectNoLeak } from "./testing/secrets/secret-forms.ts"
import { sendRequest } from "./testing/send-request.ts"
import { seal } from "./testing/stacks/stack-key.ts"
import {
  openStacks,
  servedAt,
  stagingShaped,
  type TestStack,
  type TestStacks,
} from "./testing/stacks/test-stacks.ts"

const authSecret = "staging-shaped-canary-0123456789abcdef0123456789abcdef"
const smokeKey = "smoke-key-canary-fedcba9876543210fedcba9876543210"
/** Secrets from the stack file; the environment generates the others. */
const provided = {
  staging: { AUTH_SECRET: authSecret, SMOKE_KEY: smokeKey },
  production: { AUTH_SECRET: authSecret },
}

const Log = z.object({
  entries: z.array(z.object({ host: z.string(), path: z.string(), status: z.number() })),
})

/** Both environments take their turn in one account. */
let stacks: TestStacks
let cloudflare: TestStack["cloudflare"]

beforeAll(async () => {
  stacks = await openStacks()
})

afterAll(async () => await stacks?.[Symbol.asyncDispose]())

function config(environment: "staging" | "production", host: string) {
  return stagingShaped({
    "accounts:environment": environment,
    ...servedAt(`https://api.${host}`, `https://app.${host}`),
    "accounts:routes": [`app.${host}/api/*`],
    "accounts:logDestinations": ["logs"],
    "accounts:traceSampling": 0.1,
    "accounts:secrets": Object.fromEntries(
      Object.entries(provided[environment]).map(([name, value]) => [name, seal(value)]),
    ),
  })
}

test.each(["staging", "production"] as const)(
  "a %s-shaped stack serves its hosts, seals its secrets and leaves nothing behind",
  async (environment) => {
    const host = environment === "production" ? "accounts.test" : "staging.accounts.test"
    const secrets = provided[environment]
    const stack = `${environment}-shaped`
    const local = await stacks.permanent(stack, config(environment, host))
    ;({ cloudflare } = local)
    // The record of the API's host hides the wildcard's from all hosts beside it.
    await createProxiedRecord(cloudflare, `app.${host}`)
    await local.up()
    expect(await answered(new URL(`https://api.${host}/api/auth/`))).toEqual(signInTried)
    const connectTo = cloudflare.edge
    const api = `https://api.${host}`

    // Cloudflare's own records of a request hold its URL, which stays there.
    const [worker] = await listAccount(
      cloudflare,
      `/accounts/${cloudflare.accountId}/workers/workers`,
      z.unknown(),
    )
    expect(worker).toMatchObject({
      logpush: false,
      tail_consumers: [],
      observability: {
        logs: { invocation_logs: false, destinations: ["logs"] },
        traces: { enabled: true, head_sampling_rate: 0.1, destinations: [] },
      },
    })

    const byDomain = await sendRequest(`${api}/api/health`, { connectTo })
    const byRoute = await sendRequest(`https://app.${host}/api/health`, { connectTo })
    const beside = await sendRequest(`https://app.${host}/elsewhere`, { connectTo })
    expect([byDomain.status, byRoute.status, beside.status]).toEqual([200, 200, 404])
    expect(byRoute.headers["accounts-version"]).toEqual(byDomain.headers["accounts-version"])
    expect(beside.headers).not.toHaveProperty("accounts-version")

    const person = { name: "Ada", email: `ada@${host}`, password: "correct horse battery" }
    const signUp = await sendRequest(`${api}/api/auth/sign-up/email`, {
      connectTo,
      headers: { origin: `https://app.${host}` },
      body: person,
    })
    expect(signUp.status).toBe(200)
    const cookie =
      signUp.headers["set-cookie"]?.find((text) => text.includes("session_token")) ?? ""
    expect(cookie).toMatch(/^__Secure-/)
    expect(cookie).toMatch(new RegExp(`Domain=${host.replaceAll(".", "\\.")}(;|$)`))
    expect(cookie).toMatch(/HttpOnly/)
    expect(cookie).toMatch(/; Secure/)
    expect(cookie).toMatch(/SameSite=Lax/)

    const refused = await sendRequest(`${api}/api/auth/sign-in/email`, {
      connectTo,
      headers: { origin: "https://evil.test" },
      body: person,
    })
    expect(refused.status).toBe(403)

    // Pulumi's state, logs and plugins contain secrets only encrypted, and never the token.
    const files = readTree(join(local.state, "pulumi"))
    expect(files).toContain(`accounts-${stack}`)
    const outputs = JSON.stringify(await local.stack.outputs())
    expectNoLeak(files + outputs, { ...secrets, token: cloudflare.token })

    await local.destroy()
    expect(await accountContents(cloudflare)).toEqual(emptyAccount)
  },
)

/** Requests of a release before it trusts a new hostname. */
const signInTried = [
  "sign-up/email 204",
  "sign-up/email 200",
  "sign-in/email 403",
  "sign-in/email 204",
  "sign-in/email 200",
  "get-session 200",
  "delete-user 204",
  "delete-user 200",
  "get-session 200",
]

/** Requests below a URL that the edge has answered, oldest first. */
async function answered({ host, pathname }: URL): Promise<string[]> {
  return Log.parse(await callLocal(cloudflare, "/local/log?kind=request&limit=1000"))
    .entries.filter((entry) => entry.host === host && entry.path.startsWith(pathname))
    .map(({ path, status }) => `${path.slice(pathname.length)} ${status}`)
}
