import { join } from "node:path"

import { afterAll, beforeAll, expect, test } from "vitest"

import type { LocalCloudflare } from "../infra/commands/local-cloudflare.ts"
import { accountContents, emptyAccount } from "./account.ts"
import { copyCheckout, type Checkout } from "./checkout.ts"
import { interruptUp, told } from "./interruption.ts"

/** More changes than one `up` makes: the loop ends when a run finishes before it is killed. */
const MOST = 60

let checkout: Checkout
let cloudflare: LocalCloudflare

beforeAll(async () => {
  checkout = copyCheckout()
  const { joinOrStart } = await import(
    join(checkout.directory, "infra", "commands", "local-cloudflare.ts")
  )
  cloudflare = await joinOrStart({ state: checkout.state, apiPort: 0, port: 0 })
})

afterAll(async () => {
  await cloudflare?.stop()
  await checkout?.[Symbol.asyncDispose]()
})

const command = (...args: string[]) => checkout.succeed(...args, "--state", checkout.state)

test("killed after each change in turn, repair and up converge, and destroy leaves nothing", async () => {
  const killedAfter: string[] = []
  // Each run goes on where the last was killed. One that gets no further is killed later, twice as far.
  for (let n = 1; killedAfter.length < MOST;) {
    const { after, output } = await interruptUp(checkout, cloudflare, n)
    if (!after) {
      if (!/^ready /m.test(output)) throw new Error(`it ended neither killed nor ready:\n${output}`)
      break
    }
    const where = `${after.method} ${after.path}`
    n = killedAfter.at(-1) === where ? n * 2 : 1
    killedAfter.push(where)
    await told(`killed after ${where}`, () => command("repair", "-s", "local"))
  }
  // The database, its migrations' requests, Worker, version, deployment, domain, crons.
  expect(new Set(killedAfter).size).toBeGreaterThanOrEqual(6)

  const { databases, workers, domains } = await accountContents(cloudflare)
  expect({ databases, workers, domains }).toEqual({
    databases: ["accounts-local"],
    workers: ["accounts-local"],
    domains: ["localhost"],
  })
  expect((await command("start", "--once")).stderr).toMatch(/0 changes/)
  await command("local", "destroy", "--yes")
  expect(await accountContents(cloudflare)).toEqual(emptyAccount)
})
