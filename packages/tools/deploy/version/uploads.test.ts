import { expect, test } from "vitest"

import { doubts } from "../testing/local-cloudflare.ts"
import { startProviderUnderTest } from "../testing/provider-under-test.ts"
import { setUpVersion } from "../testing/version-under-test.ts"

const { cloudflare, proxy, provider, account } = await startProviderUnderTest()

test.each([
  ["drop after", 1],
  ["500 after", 1],
  ["drop before", 2],
  ["500 before", 2],
] as const)("a lost answer (%s) uploads the version once", async (fault, requests) => {
  const worker = await setUpVersion({ cloudflare, account })
  proxy.inject({ method: "POST", path: worker.uploads, fault })
  const { outputs } = await provider.create("Version", worker.inputs)
  const versions = await worker.versions()
  expect(versions.map((version) => version.id)).toEqual([outputs["versionId"]])
  const uploads = proxy.seen.filter(
    ({ method, path }) => method === "POST" && worker.uploads.test(path),
  )
  expect(uploads).toHaveLength(requests)
})

test("an upload whose answers are all lost is sent again by the next run, and gets no traffic", async () => {
  const worker = await setUpVersion({ cloudflare, account })
  const list = new RegExp(`/workers/${worker.scriptName}/versions\\?`)
  proxy.inject({
    method: "POST",
    path: worker.uploads,
    fault: "drop after",
    first: async () => proxy.inject({ method: "GET", path: list, fault: "500 before", times: 4 }),
  })
  await expect(provider.create("Version", worker.inputs)).rejects.toThrow("GET")
  const { outputs } = await provider.create("Version", worker.inputs)
  const [newest, ...older] = (await worker.versions()).map(({ id }) => id)
  expect(newest).toBe(outputs["versionId"])
  expect(older).toHaveLength(1)
  expect(await account.deployments(worker.scriptName)).toEqual([])
})

test("of two versions with the tag of a lost upload, the one made first is taken, however they are listed", async () => {
  const worker = await setUpVersion({ cloudflare, account })
  const list = new RegExp(`/workers/${worker.scriptName}/versions\\?`)
  const newest = `/workers/workers/${worker.scriptName}/versions/latest`
  await cloudflare.local("/local/settings", { doubts: { ...doubts, oldestFirst: true } })
  proxy.inject({ method: "POST", path: worker.uploads, fault: "drop after" })
  const copy = { env: { AUTH_SECRET: { type: "secret_text", text: "by hand" } } }
  const first = async () => void (await account.call("PATCH", newest, copy))
  proxy.inject({ method: "GET", path: list, first })
  const { outputs } = await provider.create("Version", worker.inputs)
  await cloudflare.local("/local/settings", { doubts })
  const [copied, uploaded, ...otherVersions] = await worker.versions()
  expect(otherVersions).toEqual([])
  expect(copied?.annotations["workers/tag"]).toBe(uploaded?.annotations["workers/tag"])
  expect(outputs["versionId"]).toBe(uploaded?.id)
})

test("a version that cannot be read at once is waited for", async () => {
  const worker = await setUpVersion({ cloudflare, account })
  const path = new RegExp(`/${worker.scriptName}/versions/[0-9a-f-]{36}$`)
  proxy.inject({ method: "GET", path, fault: "10007 before", times: 3 })
  const { outputs } = await provider.create("Version", worker.inputs)
  expect((await worker.versions()).map(({ id }) => id)).toEqual([outputs["versionId"]])
})

test("a version that Cloudflare does not return in time is an error that says what changed", async () => {
  const worker = await setUpVersion({ cloudflare, account })
  const path = new RegExp(`/${worker.scriptName}/versions/[0-9a-f-]{36}$`)
  proxy.inject({ method: "GET", path, fault: "10007 before", times: 5 })
  await expect(provider.create("Version", worker.inputs, { timeout: 2 })).rejects.toThrow(
    /version .* was uploaded, but Cloudflare does not return it after 2 s\. It has no traffic/,
  )
  expect(await account.deployments(worker.scriptName)).toEqual([])
})

test("an upload that Cloudflare applies twice leaves the version that was answered", async () => {
  const worker = await setUpVersion({ cloudflare, account })
  const { outputs } = await provider.create("Version", worker.inputs)
  const upload = proxy.seen.findLast(({ path }) => worker.uploads.test(path))
  await account.call(
    "POST",
    `/workers/workers/${worker.scriptName}/versions`,
    JSON.parse(upload?.body ?? ""),
  )
  await worker.deploy(outputs["versionId"])
  const read = await provider.read("Version", {
    id: worker.scriptName,
    outputs,
    inputs: worker.inputs,
  })
  expect(read?.outputs).toEqual(outputs)
  const { outputs: olds = {}, inputs: oldInputs = {} } = read ?? {}
  const diff = await provider.diff("Version", { olds, oldInputs, inputs: worker.inputs })
  expect(diff.changes).toBe(false)
})
