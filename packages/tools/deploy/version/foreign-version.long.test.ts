import { expect, test } from "vitest"
import * as z from "zod"

import type { Properties, State } from "../resource.ts"
import { doubts } from "../testing/local-cloudflare.ts"
import { startProviderHere } from "../testing/provider-here.ts"
import { startProviderUnderTest } from "../testing/provider-under-test.ts"
import { storeBundle } from "./bundle-store.ts"

const { cloudflare, proxy, provider, account } = await startProviderUnderTest()

const Identified = z.object({ id: z.string() })

let workers = 0

/** A deployed version as it is in state, and what others may do to it. */
async function setUp() {
  workers += 1
  const scriptName = `foreign-${workers}`
  await account.createWorker(scriptName)
  const bundleOf = (text: string) => {
    const content = Buffer.from(`export default { fetch: () => new Response("${text}") }`)
    return storeBundle([{ name: "worker.js", content }])
  }
  const inputs = {
    accountId: cloudflare.accountId,
    scriptName,
    bundle: bundleOf("one"),
    compatibilityDate: "2026-08-01",
    compatibilityFlags: ["nodejs_compat"],
    bindings: {
      MAIL_FROM: { type: "plain_text", text: "a@example.com" },
      AUTH_SECRET: { type: "secret_text", text: "a secret of thirty-two characters" },
    },
  }
  const deploy = (versionId: unknown) => account.deploy(scriptName, { [String(versionId)]: 100 })
  const { id, outputs } = await provider.create("Version", inputs)
  await deploy(outputs["versionId"])
  const newest = `/workers/workers/${scriptName}/versions/latest`
  return {
    scriptName,
    inputs,
    bundleOf,
    deploy,
    state: { id, outputs, inputs },
    refresh: (state: State) => provider.read("Version", state),
    count: async () => {
      const list = await account.call("GET", `/workers/scripts/${scriptName}/versions`)
      return z.object({ items: z.array(z.unknown()) }).parse(list).items.length
    },
    /** As `wrangler secret put` or the dashboard: another version with one binding changed, deployed. */
    bind: async (env: Record<string, unknown>) => {
      const { id: copy } = Identified.parse(await account.call("PATCH", newest, { env }))
      await deploy(copy)
      return copy
    },
  }
}

/** The changes that a program with these inputs would make. */
async function changes(state: State | undefined, inputs: Properties) {
  if (state === undefined) throw new Error("the version is gone")
  const { outputs: olds, inputs: oldInputs } = state
  return (await provider.diff("Version", { olds, oldInputs, inputs })).paths
}

test("an unchanged version reads as it is in state, with one request", async () => {
  const { state, refresh } = await setUp()
  const before = proxy.seen.length
  expect(await refresh(state)).toEqual(state)
  expect(proxy.seen.slice(before).map(({ method }) => method)).toEqual(["GET"])
})

test("a version that was never deployed reads as it is in state", async () => {
  const worker = await setUp()
  const inputs = { ...worker.inputs, bundle: worker.bundleOf("two") }
  await account.createWorker(`${worker.scriptName}-idle`)
  const idle = { ...inputs, scriptName: `${worker.scriptName}-idle` }
  const { id, outputs } = await provider.create("Version", idle)
  expect(await worker.refresh({ id, outputs, inputs: idle })).toEqual({ id, outputs, inputs: idle })
})

test.each([
  ["a variable added by hand", { NEW: { type: "plain_text", text: "x" } }, ["bindings.NEW"]],
  [
    "a variable changed by hand",
    { MAIL_FROM: { type: "plain_text", text: "b@example.com" } },
    ["bindings.MAIL_FROM"],
  ],
  ["a variable removed by hand", { MAIL_FROM: null }, ["bindings.MAIL_FROM"]],
  ["a secret added by hand", { NEW: { type: "secret_text", text: "x" } }, ["bindings.NEW"]],
  [
    "a secret changed by hand",
    { AUTH_SECRET: { type: "secret_text", text: "x" } },
    ["bindings.AUTH_SECRET"],
  ],
] as const)("%s shows by its name, and is undone by a new version", async (_, env, paths) => {
  const { state, inputs, refresh, bind, count } = await setUp()
  const foreign = await bind(env)
  const freshState = await refresh(state)
  expect(freshState?.outputs).toMatchObject({ ...state.outputs, serving: foreign })
  expect(await changes(freshState, inputs)).toEqual(paths)
  const change = {
    id: state.id,
    olds: freshState?.outputs ?? {},
    oldInputs: freshState?.inputs ?? {},
    inputs,
  }
  const outputs = await provider.update("Version", change)
  // Not the version before it: Cloudflare may refuse to go back over a changed secret.
  expect([state.outputs["versionId"], foreign]).not.toContain(outputs["versionId"])
  expect(await count()).toBe(3)
  expect(await changes({ id: state.id, outputs, inputs }, inputs)).toEqual([])
})

test.each([
  ["a limit of processor time", { limits: { cpu_ms: 7000 } }, "cpuMs"],
  ["a placement", { placement: { mode: "smart" } }, "placement"],
] as const)("%s set by hand shows by its name, and is removed again", async (_, patch, name) => {
  const { scriptName, state, inputs, refresh, deploy } = await setUp()
  const newest = `/workers/workers/${scriptName}/versions/latest`
  const { id: foreign } = Identified.parse(await account.call("PATCH", newest, patch))
  await deploy(foreign)
  const freshState = await refresh(state)
  expect(await changes(freshState, inputs)).toEqual([name])
})

test("a copy with its tag counts as made by another tool, whatever serves next", async () => {
  const { scriptName, state, inputs, refresh, bind, deploy } = await setUp()
  const foreign = await bind({ AUTH_SECRET: { type: "secret_text", text: "by hand" } })
  const freshState = await refresh(state)
  const [olds, oldInputs] = [freshState?.outputs ?? {}, freshState?.inputs ?? {}]
  const outputs = await provider.update("Version", { id: state.id, olds, oldInputs, inputs })
  expect(outputs["versionId"]).not.toBe(foreign)
  await deploy(outputs["versionId"])
  expect(await refresh({ id: state.id, outputs, inputs })).toEqual({
    id: state.id,
    outputs,
    inputs,
  })
  await account.deploy(scriptName, { [foreign]: 100 }, undefined, { force: true })
  expect(await changes(await refresh({ id: state.id, outputs, inputs }), inputs)).toEqual([
    "bindings.AUTH_SECRET",
  ])
  const Tagged = z.array(z.object({ annotations: z.looseObject({ "workers/tag": z.string() }) }))
  const list = Tagged.parse(await account.call("GET", `/workers/workers/${scriptName}/versions`))
  // This is what made the copy look like one's own.
  expect(new Set(list.map(({ annotations }) => annotations["workers/tag"])).size).toBe(2)
})

test("variables whose text the newer route hides are read by the older one", async () => {
  const { state, refresh, bind, inputs } = await setUp()
  await bind({ MAIL_FROM: { type: "plain_text", text: "b@example.com" } })
  await cloudflare.local("/local/settings", { doubts: { ...doubts, textsHidden: true } })
  const freshState = await refresh(state)
  await cloudflare.local("/local/settings", { doubts })
  expect(freshState?.inputs["bindings"]).toMatchObject({
    MAIL_FROM: { type: "plain_text", text: "b@example.com" },
  })
  expect(await changes(freshState, inputs)).toEqual(["bindings.MAIL_FROM"])
})

test("a proxy's page with status 404 does not make a version gone", async () => {
  const { scriptName, state, refresh } = await setUp()
  const path = new RegExp(`/${scriptName}/deployments`)
  proxy.inject({ method: "GET", path, fault: "page404 before" })
  await expect(refresh(state)).rejects.toThrow("404 without a readable answer")
})

test("a rollback shows what it reverted, and is undone by a new version", async () => {
  const worker = await setUp()
  const { state, refresh, deploy, count } = worker
  const inputs = {
    ...worker.inputs,
    bundle: worker.bundleOf("two"),
    bindings: { ...worker.inputs.bindings, EXTRA: { type: "plain_text", text: "x" } },
  }
  const change = { id: state.id, olds: state.outputs, oldInputs: state.inputs, inputs }
  const outputs = await provider.update("Version", change)
  await deploy(outputs["versionId"])
  await deploy(state.outputs["versionId"])
  const freshState = await refresh({ id: state.id, outputs, inputs })
  expect(freshState?.inputs).toEqual(state.inputs)
  expect(await changes(freshState, inputs)).toEqual(["bindings.EXTRA", "bundle"])
  const secondChange = {
    ...change,
    olds: freshState?.outputs ?? {},
    oldInputs: freshState?.inputs ?? {},
  }
  const put = await provider.update("Version", secondChange)
  expect([outputs["versionId"], state.outputs["versionId"]]).not.toContain(put["versionId"])
  expect(await count()).toBe(3)
})

test("code that was not built here says who uploaded it", async () => {
  const { scriptName, state, inputs, refresh, deploy } = await setUp()
  const worker = Identified.parse(await account.call("GET", `/workers/workers/${scriptName}`))
  await deploy(await account.createVersion(worker.id, "well"))
  const freshState = await refresh(state)
  expect(freshState?.inputs).toMatchObject({ bundle: "not built here: uploaded by api" })
  expect(await changes(freshState, inputs)).toContain("bundle")
})

test("while traffic is split, the version reads as it is in state", async () => {
  const { scriptName, state, refresh, bind } = await setUp()
  const foreign = await bind({ NEW: { type: "plain_text", text: "x" } })
  await account.deploy(scriptName, { [foreign]: 90, [String(state.outputs["versionId"])]: 10 })
  expect(await refresh(state)).toEqual(state)
})

test("a local Cloudflare that has moved since is found by the environment", async () => {
  const { state } = await setUp()
  await using moved = await startProviderHere({
    // As state remembers it: nothing listens there.
    baseUrl: "http://127.0.0.1:9/client/v4",
    token: cloudflare.token,
    environment: { CLOUDFLARE_BASE_URL: cloudflare.api },
  })
  expect(await moved.read("Version", state)).toEqual(state)
})

test("a version whose Worker is gone is gone", async () => {
  const { scriptName, state, refresh } = await setUp()
  await account.call("DELETE", `/workers/workers/${scriptName}`)
  expect(await refresh(state)).toBeUndefined()
})

test("an imported version has the code and the bindings of the live one, and secrets of unknown value", async () => {
  const { scriptName, state, inputs, refresh } = await setUp()
  const id = `${cloudflare.accountId}/${scriptName}/${String(state.outputs["versionId"])}`
  const imported = await refresh({ id, outputs: {}, inputs: {} })
  expect(imported).toMatchObject({ id: scriptName, outputs: state.outputs })
  expect(imported?.inputs).toMatchObject({
    bundle: inputs.bundle,
    bindings: { MAIL_FROM: inputs.bindings.MAIL_FROM, AUTH_SECRET: { type: "secret_text" } },
  })
  expect(await changes(imported, inputs)).toEqual(["bindings.AUTH_SECRET"])
  await expect(refresh({ ...state, id: scriptName, outputs: {} })).rejects.toThrow(
    "imported by <account id>/<name of the Worker>/<version id>",
  )
})
