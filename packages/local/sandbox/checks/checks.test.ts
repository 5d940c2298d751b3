import { createHash } from "node:crypto"

import { expect, test } from "vitest"
import * as z from "zod"

import { temporaryDirectory } from "../../daemon/testing/temporary-directory.ts"
import { startSandboxHere } from "../testing/sandbox-here.ts"
import { ask, startSandbox } from "../testing/sandbox-process.ts"
import { checks } from "./checks.ts"

const Status = z.object({ asked: z.array(z.string()) })

async function openChecks() {
  const directory = await temporaryDirectory()
  const sandbox = await startSandboxHere(checks, directory.path)
  return {
    ...sandbox,
    put: (path: string, body: object) => sandbox.askAsOwner(path, { method: "PUT", body }),
    async [Symbol.asyncDispose]() {
      await sandbox.stop()
      await directory[Symbol.asyncDispose]()
    },
  }
}

function split(password: string) {
  const hash = createHash("sha1").update(password).digest("hex").toUpperCase()
  return { prefix: hash.slice(0, 5), suffix: hash.slice(5) }
}

test("a range has what leaked with its prefix, among padding of count 0 where it is asked for", async () => {
  await using set = await openChecks()
  const { prefix, suffix } = split("correct horse battery staple")
  const read = async (headers: Record<string, string> = {}) =>
    (await ask(`${set.url}/range/${prefix}`, { headers })).text.split("\r\n").filter(Boolean)
  expect(await read()).toEqual([])
  await set.put("/local/leaked", { passwords: ["correct horse battery staple"] })
  expect(await read()).toEqual([expect.stringMatching(`^${suffix}:[1-9]\\d*$`)])
  const padded = await read({ "add-padding": "true" })
  expect(padded.length).toBeGreaterThanOrEqual(800)
  expect(padded.filter((line) => !/^[0-9A-F]{35}:0$/.test(line))).toHaveLength(1)
  expect((await ask(`${set.url}/range/12g45`)).status).toBe(400)
  const { json } = await set.askAsOwner("/local/status")
  expect(Status.parse(json).asked).toEqual([prefix, prefix, prefix])
})

test("each fault is what it says, and ends", async () => {
  await using set = await openChecks()
  const ranges = async (fault: string | null) => {
    expect(await set.put("/local/faults", { ranges: fault })).toMatchObject({ status: 200 })
    return fetch(`${set.url}/range/12345`, {
      redirect: "manual",
      signal: AbortSignal.timeout(1000),
    })
  }
  expect((await ranges("down")).status).toBe(503)
  expect((await ranges("redirect")).status).toBe(302)
  expect(await (await ranges("nonsense")).text()).toContain("<!doctype html>")
  const { body } = await ranges("endless")
  let read = 0
  for await (const chunk of body ?? []) if ((read += chunk.byteLength) > 1_000_000) break
  expect(read).toBeGreaterThan(1_000_000)
  await expect(ranges("silent")).rejects.toThrow("timeout")
  expect((await ranges(null)).status).toBe(200)
  expect((await set.put("/local/faults", { ranges: "slow" })).status).toBe(400)
})

test("it runs in its own process, and faults are set only with the token", async () => {
  await using directory = await temporaryDirectory()
  await using sandbox = await startSandbox("checks", directory.path, "--port", "0")
  const faults = { method: "PUT", body: { ranges: "down" } }
  expect((await ask(`${sandbox.url}/local/faults`, faults)).status).toBe(400)
  expect((await ask(`${sandbox.url}/range/12345`)).status).toBe(200)
})

test("a token of the widget is good once, for five minutes, and says what it is for", async () => {
  await using set = await openChecks()
  const script = await ask(`${set.url}/turnstile/v0/api.js`)
  expect(script.text).toContain("cf-turnstile")
  expect(script.headers["cross-origin-resource-policy"]).toBe("cross-origin")
  const token = (changes: object = {}) => {
    const verdict = { id: crypto.randomUUID(), action: "sign-up-email", hostname: "localhost" }
    return Buffer.from(JSON.stringify({ ...verdict, at: Date.now(), ...changes })).toString(
      "base64url",
    )
  }
  const verify = async (response: string, secret = "key") =>
    (
      await ask(`${set.url}/turnstile/v0/siteverify`, {
        body: new URLSearchParams({ secret, response }),
      })
    ).json
  const first = token()
  expect(await verify(first)).toMatchObject({
    success: true,
    action: "sign-up-email",
    hostname: "localhost",
  })
  const refused = (code: string) => ({ success: false, "error-codes": [code] })
  expect(await verify(first)).toEqual(refused("timeout-or-duplicate"))
  expect(await verify(token({ at: Date.now() - 301_000 }))).toEqual(refused("timeout-or-duplicate"))
  expect(await verify("")).toEqual(refused("missing-input-response"))
  expect(await verify("x".repeat(3000))).toEqual(refused("invalid-input-response"))
  expect(await verify(token({ hostname: 7 }))).toEqual(refused("invalid-input-response"))
  expect(await verify(token(), "")).toEqual(refused("missing-input-secret"))
  await set.put("/local/faults", { turnstile: "down" })
  const down = await ask(`${set.url}/turnstile/v0/siteverify`, { method: "POST" })
  expect(down.status).toBe(503)
})
