import { once } from "node:events"

import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"

import { killProcessTree } from "./testing/engine/interruption.ts"
import { openStagingSite, type StagingSite } from "./testing/stacks/staging-site.ts"

const worker = "accounts-staging"

/**
 * The tests are one journey: each continues with the account and the stack that the previous one left. A release over a
 * split, and the way back to it, are in the tests of `provider/release/` and `cli/release/`.
 */
let site: StagingSite
/** The version that the first `up` released. */
let first: string
/** A copy of it with another variable, deployed by other means. */
let canary: string

beforeAll(async () => {
  site = await openStagingSite()
  await up()
  first = Object.keys(await shares())[0] ?? ""
  const env = { EDITION: { type: "plain_text", text: "canary" } }
  const copy = await site.account.call("PATCH", `/workers/workers/${worker}/versions/latest`, {
    env,
  })
  canary = z.object({ id: z.string() }).parse(copy).id
})

afterAll(async () => await site?.[Symbol.asyncDispose]())

async function up(): Promise<void> {
  await site.checkout.succeed("up", "-s", "staging", "--yes")
}

/** Traffic shares of the live deployment. */
async function shares() {
  const [live] = await site.account.deployments(worker)
  return live?.shares ?? {}
}

async function split() {
  const parts = { [first]: 90, [canary]: 10 }
  await site.account.deploy(worker, parts, "canary by hand")
  return parts
}

function release(...args: string[]) {
  return site.checkout.run("release", ...args, "-s", "staging")
}

async function move(...args: string[]) {
  await site.checkout.succeed("release", ...args, "-s", "staging", "--yes")
  return await shares()
}

function edit(edition: number): void {
  const line = `Reflect.set(globalThis, "edition", ${edition})`
  site.checkout.edit("app/worker.ts", (text) => `${text}\n${line}\n`)
}

test("an up that cannot try what has 90 % leaves a canary its 10 %, and says what serves", async () => {
  const parts = await split()
  const impatient = { "accounts:patience": 5, "accounts:accept": { R48: "nothing is waited for" } }
  site.configure({ "accounts:connectTo": "http://127.0.0.1:9", ...impatient })
  const { code, stderr } = await site.up()
  expect(code).toBe(1)
  expect(await shares()).toEqual(parts)
  const serves = `${[`${first} at 90 %`, `${canary} at 10 %`].toSorted().join(" and ")}, deployed by`
  expect(stderr).toContain(`Nothing was changed: live is ${serves}`)
  expect(stderr).toContain(`staging was not updated: see the errors above. Live is ${serves}`)
  const [connectTo, accept] = [site.cloudflare.edge, undefined]
  site.configure({
    "accounts:connectTo": connectTo,
    "accounts:patience": accept,
    "accounts:accept": accept,
  })
})

test("a canary that was left behind is rolled back, or gets all traffic by its name", async () => {
  expect((await release("status")).stdout).toContain("release rollback or the next")
  expect((await release("rollback", "--dry-run")).stderr).toContain(
    `Would serve in its place: ${first}.`,
  )
  expect(await move("rollback")).toEqual({ [first]: 100 })
  expect(await release("rollback", first, "--yes")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${first} serves all traffic already`),
  })
  await split()
  expect(await move("rollback", canary)).toEqual({ [canary]: 100 })
  expect(await move("rollback")).toEqual({ [first]: 100 })
})

/** Starts an up that stays at its first step, where the new version has a tenth. */
async function bake(edition: number) {
  site.configure({ "accounts:releaseSteps": [10, 100], "accounts:releaseBake": 600 })
  edit(edition)
  const child = site.checkout.spawn("up", "-s", "staging", "--yes")
  let output = ""
  child.stdout?.resume()
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const closed = once(child, "close")
  const percentages = async () => new Set(Object.values(await shares()))
  await expect.poll(percentages, { timeout: 120_000 }).toEqual(new Set([10, 90]))
  return {
    kill: () => killProcessTree(z.number().parse(child.pid)),
    async end() {
      await closed
      return { code: child.exitCode, said: output }
    },
  }
}

test("another operator rolls back a release that bakes, and its up leaves that as it is", async () => {
  const before = await shares()
  const running = await bake(3)
  expect(await move("rollback")).toEqual(before)
  const { code, said } = await running.end()
  expect(code).toBe(1)
  expect(said).toContain("another client has deployed")
  expect(await shares()).toEqual(before)
})

test("an up that was killed between its steps is ended by release rollback or the next up", async () => {
  const before = await shares()
  const running = await bake(4)
  running.kill()
  await running.end()
  await site.checkout.succeed("repair", "-s", "staging")
  const sharesAfter = await shares()
  const [firstVersion = ""] = Object.keys(before)
  const newer = Object.keys(sharesAfter).find((id) => id !== firstVersion) ?? ""
  const dry = async (...to: string[]) => (await release("rollback", ...to, "--dry-run")).stderr
  expect(await dry()).toContain(`Would serve in its place: ${firstVersion}.`)
  expect(await dry(newer)).toContain(`Would serve in its place: ${newer}.`)
  site.configure({ "accounts:releaseSteps": undefined, "accounts:releaseBake": undefined })
  edit(5)
  await up()
  const [released = ""] = Object.keys(await shares())
  expect(await shares()).toEqual({ [released]: 100 })
  expect(Object.keys(sharesAfter)).not.toContain(released)
})
