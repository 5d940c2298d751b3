import { setTimeout as sleep } from "node:timers/promises"

import { callLocal } from "@accounts-stack/local/cloudflare/testing/call-local"
import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"

import { accountContents } from "./testing/account-contents.ts"
import { setFaults } from "./testing/faults/fault-rules.ts"
import { createProxiedRecord } from "./testing/proxied-record.ts"
import { sendRequest } from "./testing/send-request.ts"
import {
  openStacks,
  servedAt,
  stagingShaped,
  type TestStack,
  type TestStacks,
} from "./testing/stacks/test-stacks.ts"

const first = "https://api.staging.accounts.test"
const second = "https://identity.staging.accounts.test"

const Log = z.object({
  entries: z.array(z.object({ method: z.string(), path: z.string(), status: z.number() })),
})

/** The tests are one journey: each continues with the stack that the previous one left. */
let stacks: TestStacks
let local: TestStack

beforeAll(async () => {
  stacks = await openStacks()
  local = await stacks.permanent("staging", stagingShaped())
  await local.up()
})

afterAll(async () => await stacks?.[Symbol.asyncDispose]())

async function answers(origin: string): Promise<boolean> {
  const connectTo = local.cloudflare.edge
  const { status } = await sendRequest(`${origin}/api/health`, { connectTo }).catch(() => ({
    status: 0,
  }))
  return status === 200
}

/** Changes of custom domains and routes that the API made, oldest first. */
async function changes(): Promise<string[]> {
  return Log.parse(await callLocal(local.cloudflare, "/local/log?kind=api&limit=1000"))
    .entries.filter(({ method, path }) => method !== "GET" && /\/(?:domains|routes)/.test(path))
    .map(({ method, path }) => `${method} ${path.replace(/.*\/(domains|routes).*/, "$1")}`)
}

test("a new host is attached and answers before the old one goes", async () => {
  const before = (await changes()).length
  const renamed = await stacks.permanent("staging", stagingShaped({ "accounts:apiOrigin": second }))
  const samples: { old: boolean; new: boolean }[] = []
  const done = new AbortController()
  const watching = (async () => {
    while (!done.signal.aborted) {
      samples.push({ old: await answers(first), new: await answers(second) })
      await sleep(50)
    }
  })()
  await renamed.up()
  done.abort()
  await watching

  expect(samples[0]).toEqual({ old: true, new: false })
  expect(samples.filter((moment) => !moment.old && !moment.new)).toEqual([])
  expect((await changes()).slice(before)).toEqual(["PUT domains", "DELETE domains"])
  expect([await answers(first), await answers(second)]).toEqual([false, true])
})

test("a host with a proxied DNS record of its own is attached by a route", async () => {
  await createProxiedRecord(local.cloudflare, new URL(first).hostname)
  const config = stagingShaped({ "accounts:apiOrigin": first, "accounts:attach": "route" })
  const routed = await stacks.permanent("staging", config)
  await routed.up()
  const { domains, routes } = await accountContents(local.cloudflare)
  expect({ domains, routes }).toEqual({ domains: [], routes: ["api.staging.accounts.test/*"] })
  expect([await answers(first), await answers(second)]).toEqual([true, false])
})

test("passkeys get another domain only from a file that names the one before", async () => {
  const preview = async (passkeys: unknown) => {
    const config = { "accounts:apiOrigin": first, "accounts:attach": "route" }
    const shaped = stagingShaped({ ...config, "accounts:passkeys": passkeys })
    const { stack } = await stacks.permanent("staging", shaped)
    return stack.preview()
  }
  const rpId = new URL(first).hostname
  await expect(preview({ rpId })).rejects.toThrow(
    /PASSKEYS is staging\.accounts\.test in what serves, and would be api\.staging\.accounts\.test: every passkey stops working: they belong to staging\.accounts\.test\. To keep them, /,
  )
  const result = await preview({ rpId, insteadOf: "staging.accounts.test" })
  expect(result.changeSummary).toMatchObject({ update: expect.any(Number) })
})

test("a host that has a DNS record is refused before anything is created", async () => {
  const before = await accountContents(local.cloudflare)
  const another = await stacks.permanent("second", stagingShaped({ "accounts:apiOrigin": first }))
  const refusal =
    /api\.staging\.accounts\.test cannot be attached, and nothing has been created:\s+it has a DNS record already/
  await expect(another.stack.preview()).rejects.toThrow(refusal)
  await expect(another.up()).rejects.toThrow(
    /second was not updated: see the errors above\. \.\/accounts release status -s second --local .*says what serves\.$/,
  )
  expect(await accountContents(local.cloudflare)).toEqual(before)
})

test("a first up whose host another Worker got unseen ends once the file names a free one", async () => {
  const { cloudflare } = local
  const shaped = (host: string, overrides = {}) =>
    stagingShaped({ ...servedAt(`https://${host}`), ...overrides })
  const takenHost = "taken.accounts.test"
  // A service like this one, which answers there as well as its own does.
  await local.account.attachDomain("accounts-staging", takenHost)
  const refused = { type: "status", status: 403, code: 10_000, message: "Authentication error" }
  const match = { surface: "api", method: "GET", path: "*/workers/domains" }
  await setFaults(cloudflare, [{ name: "unread", match, when: { times: 20 }, action: refused }])
  const third = await stacks.permanent("third", shaped(takenHost))
  const refusal: unknown = await third.up().catch((error: unknown) => error)
  expect(refusal).toMatchObject({
    // The release came before the host.
    message: expect.stringMatching(/third was not updated: .*\. Live is [0-9a-f-]{36} at 100 %, /),
    cause: { message: expect.stringContaining("'taken.accounts.test' already in use") },
  })
  await setFaults(cloudflare, [])
  expect((await accountContents(cloudflare)).workers).toContain("accounts-third")

  // The live version names the host that it never got.
  const passkeys = { rpId: "free.accounts.test", insteadOf: takenHost }
  const free = shaped("free.accounts.test", { "accounts:passkeys": passkeys })
  const { outputs } = await (await stacks.permanent("third", free)).up()
  expect(outputs).toMatchObject({ url: "https://free.accounts.test" })
  expect((await accountContents(cloudflare)).domains).toEqual(
    expect.arrayContaining([takenHost, "free.accounts.test"]),
  )
})

test("a wrong subdomain of workers.dev is refused before anything is created, and the account's own serves", async () => {
  const host = (subdomain: string) => `https://accounts-preview-sub.${subdomain}.workers.dev`
  const onWorkersDev = (subdomain: string) => ({
    ...stagingShaped(),
    "accounts:environment": "preview",
    "accounts:zone": undefined,
    "accounts:cookieDomain": undefined,
    "accounts:trustedOrigins": undefined,
    "accounts:apiOrigin": host(subdomain),
    "accounts:webOrigin": host(subdomain),
  })
  const before = await accountContents(local.cloudflare)
  const wrong = await stacks.permanent("preview-sub", onWorkersDev("somebody"))
  await expect(wrong.up()).rejects.toMatchObject({
    cause: expect.objectContaining({
      message: expect.stringContaining("the account's subdomain is accounts-local: write https://"),
    }),
  })
  expect(await accountContents(local.cloudflare)).toEqual(before)
  const right = await stacks.permanent("preview-sub", onWorkersDev("accounts-local"))
  await right.up()
  expect(await answers(host("accounts-local"))).toBe(true)
})
