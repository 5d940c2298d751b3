import { randomBytes } from "node:crypto"

import { workersDevHost } from "@accounts/local/seed"
import * as z from "zod"

import type { BaseBundle } from "./base-bundle.ts"
import type { Mailbox } from "./mailbox.ts"
import type { ScratchAccount } from "./scratch-account.ts"

const Identified = z.object({ id: z.string() })
const scriptName = "base"

export type BaseWorker = { url: string; connectTo: string }

/** Runs a Worker with the bindings that a journey needs, on one database. */
export async function deployBase(deployment: {
  account: Pick<ScratchAccount, "edge" | "post">
  bundle: BaseBundle
  databaseId: string
  mailbox: Pick<Mailbox, "url">
}): Promise<BaseWorker> {
  const { account, bundle, databaseId, mailbox } = deployment
  const subdomain = { enabled: true, previews_enabled: false }
  const worker = await account.post("/workers/workers", { name: scriptName, subdomain }, Identified)
  const url = `http://${workersDevHost(scriptName)}`
  const texts = {
    ENVIRONMENT: "preview",
    NODE_ENV: "development",
    AUTH_URL: url,
    AUTH_TRUSTED_ORIGIN: url,
    WEB_URL: url,
    VERIFY_EMAIL: "true",
    MAIL_URL: mailbox.url,
  }
  const secrets = { AUTH_SECRET: randomBytes(32).toString("hex") }
  const version = await account.post(
    `/workers/workers/${worker.id}/versions`,
    {
      main_module: "worker.js",
      compatibility_date: bundle.compatibilityDate,
      compatibility_flags: bundle.compatibilityFlags,
      modules: bundle.modules.map(({ name, content }) => ({
        name,
        content_type:
          name === "worker.js" ? "application/javascript+module" : "application/octet-stream",
        content_base64: content,
      })),
      bindings: [
        { type: "version_metadata", name: "VERSION" },
        { type: "d1", name: "DB", database_id: databaseId },
        ...Object.entries(secrets).map(([name, text]) => ({ type: "secret_text", name, text })),
        ...Object.entries(texts).map(([name, text]) => ({ type: "plain_text", name, text })),
      ],
    },
    Identified,
  )
  const versions = [{ version_id: version.id, percentage: 100 }]
  const path = `/workers/scripts/${scriptName}/deployments`
  await account.post(path, { strategy: "percentage", versions }, Identified)
  return { url, connectTo: account.edge }
}
