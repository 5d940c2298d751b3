import { unknownValue } from "@accounts-stack/pulumi-host/properties"
import { expect, test } from "vitest"
import * as z from "zod"

import { expectNoLeak } from "../../tests/testing/secrets/secret-forms.ts"
import { doubts } from "../testing/local-cloudflare.ts"
import { startProviderUnderTest } from "../testing/provider-under-test.ts"
import { moduleThat, secret, setUpVersion } from "../testing/version-under-test.ts"
import { storeBundle } from "./bundle-store.ts"
import { readBindings } from "./inputs.ts"

const { cloudflare, provider, account } = await startProviderUnderTest()

function setUp() {
  return setUpVersion({ cloudflare, account })
}

/** Diff that the engine would show for a program with `inputs`. */
function diff(
  state: { outputs: Record<string, unknown>; inputs: Record<string, unknown> },
  inputs: Record<string, unknown>,
) {
  return provider.diff("Version", { olds: state.outputs, oldInputs: state.inputs, inputs })
}

test("a version is uploaded once, with its bindings, and gets no traffic", async () => {
  const worker = await setUp()
  const { id, outputs } = await provider.create("Version", worker.inputs)
  expect(id).toBe(worker.scriptName)
  const [only, ...otherVersions] = await worker.versions()
  expect(otherVersions).toEqual([])
  expect(outputs).toMatchObject({ versionId: only?.id, serving: only?.id })
  expect(only?.annotations["workers/message"]).toBe(`bundle ${worker.inputs.bundle}`)
  expect(await account.deployments(worker.scriptName)).toEqual([])
  const path = `/workers/workers/${worker.scriptName}/versions/${only?.id}`
  expect(await account.call("GET", path)).toMatchObject({
    bindings: expect.arrayContaining([
      { name: "MAIL_FROM", type: "plain_text", text: "a@example.com" },
      { name: "AUTH_SECRET", type: "secret_text" },
    ]),
  })
})

test("state holds no path, no code and no secret beside the bindings", async () => {
  const worker = await setUp()
  const { outputs } = await provider.create("Version", worker.inputs)
  const text = JSON.stringify(outputs)
  expectNoLeak(text + JSON.stringify(await worker.versions()), { secret })
  expect(text).not.toContain(".build")
  expect(text).not.toContain("Response")
})

test.each([
  ["code", { bundle: storeBundle(moduleThat("other")) }, ["bundle"]],
  ["date", { compatibilityDate: "2026-09-01" }, ["compatibilityDate"]],
  ["flags", { compatibilityFlags: [] }, ["compatibilityFlags"]],
] as const)("another %s is the whole difference", async (_, change, paths) => {
  const worker = await setUp()
  const { outputs } = await provider.create("Version", worker.inputs)
  const state = { outputs, inputs: worker.inputs }
  expect(await diff(state, worker.inputs)).toEqual({ changes: false, paths: [], replaces: [] })
  const changed = await diff(state, { ...worker.inputs, ...change })
  expect(changed).toEqual({ changes: true, paths, replaces: [] })
})

test("bindings differ one by one, by name", async () => {
  const worker = await setUp()
  const { outputs } = await provider.create("Version", worker.inputs)
  const state = { outputs, inputs: worker.inputs }
  const rotated = worker.withBindings({ AUTH_SECRET: { type: "secret_text", text: "another" } })
  expect((await diff(state, rotated)).paths).toEqual(["bindings.AUTH_SECRET"])
  const several = worker.withBindings({
    MAIL_FROM: undefined,
    AUTH_SECRET: unknownValue,
    NEW: { type: "plain_text", text: "" },
  })
  expect(await diff(state, several)).toEqual({
    changes: true,
    paths: ["bindings.AUTH_SECRET", "bindings.MAIL_FROM", "bindings.NEW"],
    replaces: [],
  })
})

test("a binding of an unknown type passes through, and a broken one does not", async () => {
  const worker = await setUp()
  const bucket = { type: "r2_bucket", bucket_name: "files", jurisdiction: "eu" }
  const inputs = worker.withBindings({ FILES: bucket, AI: { type: "ai" } })
  expect((await provider.check("Version", inputs)).failures).toEqual({})
  const { id, outputs } = await provider.create("Version", inputs)
  const path = `/workers/workers/${worker.scriptName}/versions/${String(outputs["versionId"])}`
  expect(await account.call("GET", path)).toMatchObject({
    bindings: expect.arrayContaining([{ name: "FILES", ...bucket }]),
  })
  const state = { id, outputs, inputs }
  expect(await diff(state, inputs)).toEqual({ changes: false, paths: [], replaces: [] })
  const otherInputs = worker.withBindings({ FILES: { ...bucket, bucket_name: "others" } })
  expect((await diff(state, otherInputs)).paths).toEqual(["bindings.AI", "bindings.FILES"])
  const broken = worker.withBindings({ DB: { type: "d1" }, AI: {} })
  const { failures } = await provider.check("Version", broken)
  expect(Object.keys(failures)).toEqual(["bindings.AI.type", "bindings.DB.database_id"])
})

test("what Cloudflare adds to such a binding, or keeps to itself, is no difference", () => {
  const recorded = {
    FILES: { type: "r2_bucket", bucket_name: "files" },
    KEY: { type: "secret_key", key_base64: "eA==" },
  }
  const liveBindings = [
    { name: "FILES", type: "r2_bucket", bucket_name: "files", jurisdiction: "default" },
    { name: "KEY", type: "secret_key" },
    { name: "NEW", type: "queue", queue_name: "jobs" },
  ]
  const read = readBindings(liveBindings, recorded)
  expect(read).toEqual({ ...recorded, NEW: { type: "queue", queue_name: "jobs" } })
  expect(readBindings([{ name: "FILES", type: "ai" }], recorded)).toEqual({ FILES: { type: "ai" } })
})

test("a placement is uploaded, differs by name, and goes again", async () => {
  const worker = await setUp()
  const Placed = z.object({ placement: z.object({ mode: z.string() }).optional() })
  const placementOf = async (versionId: unknown) => {
    const path = `/workers/workers/${worker.scriptName}/versions/${String(versionId)}`
    return Placed.parse(await account.call("GET", path)).placement
  }
  const near = await provider.create("Version", worker.inputs)
  expect(await placementOf(near.outputs["versionId"])).toBeUndefined()
  const placed = { ...worker.inputs, placement: "smart" }
  const before = { outputs: near.outputs, inputs: worker.inputs }
  expect((await diff(before, placed)).paths).toEqual(["placement"])
  const { outputs } = await provider.create("Version", placed)
  expect(outputs["versionId"]).not.toBe(near.outputs["versionId"])
  expect(await placementOf(outputs["versionId"])).toEqual({ mode: "smart" })
  expect((await diff({ outputs, inputs: placed }, worker.inputs)).paths).toEqual(["placement"])
})

test("a limit of processor time is uploaded, differs by name, and goes again", async () => {
  const worker = await setUp()
  const Limited = z.object({ limits: z.object({ cpu_ms: z.number() }).optional() })
  const limitOf = async (versionId: unknown) => {
    const path = `/workers/workers/${worker.scriptName}/versions/${String(versionId)}`
    return Limited.parse(await account.call("GET", path)).limits?.cpu_ms
  }
  const free = await provider.create("Version", worker.inputs)
  expect(await limitOf(free.outputs["versionId"])).toBeUndefined()
  const limited = { ...worker.inputs, cpuMs: 5000 }
  const before = { outputs: free.outputs, inputs: worker.inputs }
  expect((await diff(before, limited)).paths).toEqual(["cpuMs"])
  const { outputs } = await provider.create("Version", limited)
  expect(await limitOf(outputs["versionId"])).toBe(5000)
  expect((await diff({ outputs, inputs: limited }, worker.inputs)).paths).toEqual(["cpuMs"])
})

test("an update uploads a new version and keeps the old one; another Worker replaces the resource", async () => {
  const worker = await setUp()
  const { id, outputs: olds } = await provider.create("Version", worker.inputs)
  const inputs = worker.withBindings({ MAIL_FROM: { type: "plain_text", text: "b@example.com" } })
  const change = { id, olds, oldInputs: worker.inputs, inputs }
  const outputs = await provider.update("Version", change)
  const ids = (await worker.versions()).map((version) => version.id)
  expect(ids).toEqual([outputs["versionId"], olds["versionId"]])
  const elsewhere = { ...worker.inputs, scriptName: "other" }
  const state = { outputs: olds, inputs: worker.inputs }
  expect((await diff(state, elsewhere)).replaces).toEqual(["scriptName"])
  await provider.remove("Version", { id, outputs, inputs })
  expect(await worker.versions()).toHaveLength(2)
})

test("limits that Cloudflare does not keep are said", async () => {
  const worker = await setUp()
  await cloudflare.local("/local/settings", { doubts: { ...doubts, limitsIgnored: true } })
  const requestedInputs = { ...worker.inputs, cpuMs: 5000, placement: "smart" }
  const { outputs } = await provider.create("Version", requestedInputs)
  await cloudflare.local("/local/settings", { doubts })
  expect(provider.log).toContainEqual(
    expect.stringMatching(
      new RegExp(
        `did not take what version ${String(outputs["versionId"])} asks for: cpuMs is not set instead of 5000`,
      ),
    ),
  )
  expect(provider.log.join()).not.toContain("placement is")
})

test("a script that cannot start is refused with its own message and leaves nothing", async () => {
  const worker = await setUp()
  const broken = [{ name: "worker.js", content: Buffer.from(`throw new Error("on purpose")`) }]
  const creation = provider.create("Version", { ...worker.inputs, bundle: storeBundle(broken) })
  await expect(creation).rejects.toThrow("on purpose")
  expect(await worker.versions()).toEqual([])
})

test("a bundle that was not built here is an error that says what to do", async () => {
  const worker = await setUp()
  const missing = "0".repeat(64)
  const creation = provider.create("Version", { ...worker.inputs, bundle: missing })
  await expect(creation).rejects.toThrow(/0{64}.*is missing\. Run the program \(pulumi up\)/)
})

test("a Worker that is gone is an error that says what to do", async () => {
  const worker = await setUp()
  await account.call("DELETE", `/workers/workers/${worker.scriptName}`)
  const creation = provider.create("Version", worker.inputs)
  await expect(creation).rejects.toThrow(/no Worker version-\d+ any more: run pulumi refresh/)
})

test("a text that people have built on is replaced only by a file that says of which one", async () => {
  const worker = await setUp()
  const of = (text: string) => ({ PASSKEYS: { type: "plain_text", text } })
  const words = {
    loses: "every passkey stops working: they belong to",
    fix: "Keep it.",
    nothing: "off",
  }
  const lastingInputs = { ...worker.withBindings(of("acme.com")), lasting: { PASSKEYS: words } }
  const { outputs } = await provider.create("Version", lastingInputs)
  const state = { outputs, inputs: lastingInputs }
  const changed = (text: string, givenUp?: string) =>
    diff(state, {
      ...worker.withBindings(of(text)),
      lasting: { PASSKEYS: { ...words, ...(givenUp !== undefined && { givenUp }) } },
    })
  const refusal =
    "PASSKEYS is acme.com in what serves, and would be api.acme.com: every passkey stops working: they belong to acme.com. Keep it."
  await expect(changed("api.acme.com")).rejects.toThrow(refusal)
  await expect(changed("api.acme.com", "acme.org")).rejects.toThrow(refusal)
  await expect(changed("off")).rejects.toThrow("would be off")
  const paths = ["bindings.PASSKEYS"]
  expect(await changed("api.acme.com", "acme.com")).toMatchObject({ paths })
  expect(await changed("off", "any")).toMatchObject({ paths })
  expect(await changed("acme.com")).toMatchObject({ changes: false })
  const stateWithout = { outputs, inputs: worker.inputs }
  expect(await diff(stateWithout, lastingInputs)).toMatchObject({ paths })
})
