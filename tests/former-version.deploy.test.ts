import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"

import { describe, expect, onTestFinished, test, vi } from "vitest"
import * as z from "zod"

import { backendDirectory } from "../cli/engine/engine-environment.ts"
import { copyCheckout, type Checkout } from "./testing/checkout.ts"
import { findProviderCandidates } from "./testing/engine/provider-candidates.ts"
import { sendRequest } from "./testing/send-request.ts"

/** Of the passphrase `local`. */
const salt = "v1:qy2y7poO9qo=:v1:cB3FNAd05N9wPoGo:2xJb9C+wM8p4NhKUcz9bpH50p0fumg=="

const [available, unavailable] = await findProviderCandidates()

/**
 * The program as it was when it set a property that an account may lack the feature for; and when the
 * passphrase `local` sealed its secrets.
 */
function useFormerProgram(checkout: Checkout) {
  checkout.edit("environments/Pulumi.local.yaml", (content) => {
    const former = content.replace(
      /secretsprovider: .*\nencryptedkey: .*/,
      `encryptionsalt: ${salt}`,
    )
    expect(former).toContain("encryptionsalt")
    return former
  })
  checkout.edit("app/worker.ts", (content) => `${content}\nReflect.set(globalThis, "edition", 0)\n`)
  checkout.edit("infra/service.ts", (content) => {
    const former = content
      .replace(/(?<=traces: \{)/, ' propagationPolicy: "authenticated",')
      .replace("environment=${", "formerly=${")
    expect(former).toContain("propagationPolicy")
    expect(former).toContain("formerly=")
    return former
  })
}

const Exported = z.looseObject({
  resources: z.array(
    z.looseObject({
      urn: z.string(),
      type: z.string(),
      outputs: z.record(z.string(), z.unknown()).optional(),
      id: z.string().optional(),
      provider: z.string().optional(),
    }),
  ),
})

const versionType = "cloudflare:index/workerVersion:WorkerVersion"
const cronType = "cloudflare:index/workersCronTrigger:WorkersCronTrigger"

/** Makes of a stack's version and crons what Cloudflare's provider made once; the version by a path in state. */
async function useFormerResources({ stack }: import("../cli/stack/local-stack.ts").LocalStack) {
  const { version, deployment } = await stack.exportStack()
  const { resources, ...rest } = Exported.parse(deployment)
  const worker = resources.find(({ type }) => type.endsWith(":Worker"))
  const { provider } = worker ?? {}
  for (const one of resources) {
    const { accountId, scriptName, versionId, crons } = one.outputs ?? {}
    if (one.type === "accounts:index:Version") {
      const module = { name: "worker.js", contentFile: "../.build/files/worker.js" }
      const modules = [{ ...module, contentType: "application/javascript+module" }]
      const inputs = { accountId, workerId: worker?.id, mainModule: "worker.js", modules }
      const outputs = { ...inputs, id: versionId }
      Object.assign(one, { type: versionType, provider, id: versionId, inputs, outputs })
    }
    if (one.type === "accounts:index:CronTriggers") {
      const schedules = z
        .array(z.string())
        .parse(crons)
        .map((cron) => ({ cron }))
      const inputs = { accountId, scriptName, schedules }
      const outputs = { ...inputs, id: scriptName }
      Object.assign(one, { type: cronType, provider, inputs, outputs })
    }
    if (one.provider === provider) one["refreshBeforeUpdate"] = false
  }
  const text = JSON.stringify({ ...rest, resources })
  const renamed = text
    .replaceAll("$accounts:index:Version::", `$${versionType}::`)
    .replaceAll("$accounts:index:CronTriggers::", `$${cronType}::`)
  expect(renamed).not.toBe(text)
  await stack.importStack({ version, deployment: JSON.parse(renamed) })
}

/** What sealed the secrets of the stored state. */
function secretsProvider(state: string) {
  const file = join(backendDirectory(state), ".pulumi/stacks/accounts/local.json")
  return Checkpoint.parse(JSON.parse(readFileSync(file, "utf8"))).checkpoint.latest
    .secrets_providers.type
}

const Checkpoint = z.object({
  checkpoint: z.object({
    latest: z.object({ secrets_providers: z.object({ type: z.string() }) }),
  }),
})

async function open({ directory }: Checkout, state: string) {
  const stacks = join(directory, "cli/stack")
  const { openLocalStack } = await import(join(stacks, "local-stack.ts"))
  const stack: typeof import("../cli/stack/stack.ts") = await import(join(stacks, "stack.ts"))
  const local: import("../cli/stack/local-stack.ts").LocalStack = await openLocalStack({
    state,
    apiPort: 0,
    port: 0,
    engine: undefined,
  })
  return {
    local,
    async up() {
      const { changes, outputs } = await stack.up(local.stack)
      const { same: _, ...changed } = changes
      return { changed, outputs }
    },
    async refresh() {
      const { same: _, ...changed } = await stack.refresh(local.stack)
      return changed
    },
    /** Features of the account. */
    async allow(...features: string[]) {
      const { api, token } = local.cloudflare
      const { status } = await fetch(new URL("/local/settings", api), {
        method: "PUT",
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify({ features }),
      })
      expect(status).toBe(200)
    },
    async versions(worker: unknown) {
      const { api, token, accountId } = local.cloudflare
      const path = `${api}/accounts/${accountId}/workers/workers/${String(worker)}/versions`
      const answer = await fetch(path, { headers: { authorization: `Bearer ${token}` } })
      return z.object({ result: z.array(z.unknown()) }).parse(await answer.json()).result.length
    },
    [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
  }
}

describe.each(available)("$title", ({ provider }) => {
  journey(provider)
})
// oxlint-disable-next-line vitest/no-disabled-tests -- its title says why it cannot run here
describe.skip.each(unavailable)("$title", ({ provider }) => {
  journey(provider)
})

function journey(provider: string) {
  test("another clone takes over a stack with the former WorkerVersion, and keeps what holds data", async () => {
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv("ACCOUNTS_PROVIDER", provider)
    await using former = copyCheckout()
    await using clone = copyCheckout()
    const { state } = former
    useFormerProgram(former)
    {
      await using before = await open(former, state)
      await before.allow("trace_propagation")
      const { outputs } = await before.up()
      await before.allow()
      await useFormerResources(before.local)
      expect(JSON.stringify(await before.local.stack.exportStack())).toContain(".build")
      rmSync(join(former.directory, ".build"), { recursive: true })

      await using after = await open(clone, state)
      expect(secretsProvider(state)).toBe("passphrase")
      const taken = await after.up()
      expect(secretsProvider(state)).toBe("cloud")
      expect(taken.changed).toEqual({ create: 2, update: 2, delete: 2 })
      const { databaseId, worker, url, versionId } = taken.outputs
      expect({ databaseId, worker, url }).toEqual({
        databaseId: outputs["databaseId"],
        worker: outputs["worker"],
        url: outputs["url"],
      })
      expect(versionId).not.toBe(outputs["versionId"])
      const health = await sendRequest(`${String(url)}/api/health`)
      expect(health).toMatchObject({ status: 200, headers: { "accounts-version": [versionId] } })
      // The former version stays at Cloudflare, to go back to.
      expect(await after.versions(worker)).toBe(2)

      const exported = JSON.stringify(await after.local.stack.exportStack())
      expect(exported).not.toContain(".build")
      expect(exported).not.toContain(former.directory)
      rmSync(join(clone.directory, ".build"), { recursive: true })
      expect(await after.refresh()).toEqual({})
      expect((await after.up()).changed).toEqual({})
    }
    // The local Cloudflare was stopped, and listens at another port now.
    await using later = await open(clone, state)
    const { outputs } = await later.up()
    expect(await sendRequest(`${String(outputs["url"])}/api/health`)).toMatchObject({ status: 200 })
  })
}
