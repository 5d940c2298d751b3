import { setTimeout as sleep } from "node:timers/promises"

import { afterAll, beforeAll, expect, test } from "vitest"

import { sendRequest } from "./testing/send-request.ts"
import { openStagingSite, type StagingSite } from "./testing/stacks/staging-site.ts"

const worker = "accounts-staging"

/** Through the engine; how each limit judges is in the release's own tests, `deploy/release/traffic.long.test.ts`. */
let site: StagingSite
let first: string

beforeAll(async () => {
  site = await openStagingSite()
  await site.checkout.succeed("up", "-s", "staging", "--yes")
  first = Object.keys(await shares())[0] ?? ""
  site.configure({
    "accounts:releaseSteps": [50, 100],
    "accounts:releaseBake": 80,
    "accounts:releaseLimits": { requests: 40, failures: 2 },
    "accounts:accept": { R57: "the logs of this account come at once" },
  })
})

afterAll(async () => await site?.[Symbol.asyncDispose]())

/** Traffic shares of the live deployment. */
async function shares() {
  const [live] = await site.account.deployments(worker)
  return live?.shares ?? {}
}

/** Puts code before every sign-up of the service. */
function editSignUps(code: string): void {
  const place = 'app.all("/api/auth/*", answerAuth)'
  site.checkout.edit("app/worker.ts", (text) => {
    const original = text.replace(/\/\/ edited[^]*\/\/ end\n/, "")
    const edit = `// edited\nlet signUps = 0\napp.use("/api/auth/sign-up/email", async (_, next) => {\n  signUps += 1\n  ${code}\n  return next()\n})\n// end\n`
    return original.replace(place, `${edit}${place}`)
  })
}

let people = 0

/**
 * People who sign up, one after the other in each of several places, until this is disposed of; a few while
 * the release is still being built and tried.
 */
function startSignUps() {
  const stop = new AbortController()
  /** By version: how many were answered, and how many with 500 or more. */
  const met: Record<string, { answered: number; failed: number }> = {}
  const { cloudflare, configuration } = site
  const signUp = async () => {
    people += 1
    const { status, headers } = await sendRequest(
      `${configuration["accounts:apiOrigin"]}/api/auth/sign-up/email`,
      {
        connectTo: cloudflare.edge,
        localAddress: `127.0.${1 + Math.floor(people / 250)}.${1 + (people % 250)}`,
        headers: { origin: configuration["accounts:webOrigin"] },
        body: {
          name: "Ada",
          email: `person-${people}@accounts.test`,
          // Most are told to choose a longer one, which costs nothing: chance wants many requests.
          password: people % 10 === 0 ? "correct horse battery" : "short",
        },
      },
    )
    const [version = "none"] = headers["accounts-version"] ?? []
    const counts = (met[version] ??= { answered: 0, failed: 0 })
    counts.answered += 1
    if (status >= 500) counts.failed += 1
  }
  const place = async () => {
    while (!stop.signal.aborted) {
      await signUp()
      if (Object.keys(met).every((version) => version === first)) await sleep(200)
    }
  }
  const running = [place(), place()]
  return {
    met,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await Promise.all(running)
    },
  }
}

test("a release that breaks 5 % of sign-ups is taken back by what both versions answered", async () => {
  editSignUps(`if (signUps % 20 === 0) throw new Error("the twentieth")`)
  const signUps = startSignUps()
  const { code, stderr } = await site.up()
  await signUps[Symbol.asyncDispose]()
  const [met = { answered: 0, failed: 0 }] = Object.entries(signUps.met).flatMap(
    ([version, counts]) => (version === first ? [] : [counts]),
  )
  expect(code).toBe(1)
  const pattern =
    /after \d+ s at 50 % it was more than accounts:releaseLimits\.failures \(2\) worse than the version beside it: (\d+) requests, \d\.\d % failed \((\d+) answered 5xx, 0 without an answer\), [\d.]+ ms/
  const [, requests, failed] = pattern.exec(stderr) ?? []
  expect(Number(requests)).toBeGreaterThanOrEqual(40)
  expect(Number(failed)).toBeGreaterThan(1)
  expect(Number(failed)).toBeLessThanOrEqual(met.failed)
  expect(met.failed).toBeLessThan(met.answered / 10)
  expect(stderr).toContain(`Version ${first} serves again at 100 % and is healthy`)
  expect(await shares()).toEqual({ [first]: 100 })
})
