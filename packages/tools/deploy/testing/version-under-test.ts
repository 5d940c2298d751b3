import * as z from "zod"

import { storeBundle } from "../version/bundle-store.ts"
import type { openAccount } from "./account.ts"
import type { LocalCloudflare } from "./local-cloudflare.ts"

type TestAccount = { cloudflare: LocalCloudflare; account: ReturnType<typeof openAccount> }

const Listed = z.array(z.object({ id: z.string(), annotations: z.record(z.string(), z.string()) }))

export function moduleThat(answers: string) {
  const content = Buffer.from(`export default { fetch: () => new Response("${answers}") }`)
  return [{ name: "worker.js", content }]
}

export const secret = "a secret of thirty-two characters"

let workers = 0

/** A new Worker without a version, and the inputs of one. */
export async function setUpVersion({ cloudflare, account }: TestAccount) {
  workers += 1
  const scriptName = `version-${workers}`
  await account.createWorker(scriptName)
  const inputs = {
    accountId: cloudflare.accountId,
    scriptName,
    bundle: storeBundle(moduleThat(scriptName)),
    compatibilityDate: "2026-08-01",
    compatibilityFlags: ["nodejs_compat"],
    bindings: {
      MAIL_FROM: { type: "plain_text", text: "a@example.com" },
      AUTH_SECRET: { type: "secret_text", text: secret },
      VERSION: { type: "version_metadata" },
    },
  }
  return {
    scriptName,
    inputs,
    /** Inputs with these bindings changed or, if undefined, removed. */
    withBindings: (bindings: Record<string, unknown>) => ({
      ...inputs,
      bindings: { ...inputs.bindings, ...bindings },
    }),
    /** Ids and annotations, newest first. */
    async versions() {
      return Listed.parse(await account.call("GET", `/workers/workers/${scriptName}/versions`))
    },
    uploads: new RegExp(`/workers/${scriptName}/versions$`),
    deploy: (versionId: unknown) => account.deploy(scriptName, { [String(versionId)]: 100 }),
  }
}
