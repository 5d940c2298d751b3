import * as z from "zod"

import { project } from "../../environment/project/own-project.ts"
import { table } from "../output.ts"
import type { LocalCloudflare } from "../process/local-cloudflare.ts"

/** Result of one deployment of a local stack. */
export const Deployment = z.strictObject({
  stack: z.string(),
  provider: z.enum(["official", "stand-in"]),
  changes: z.record(z.string(), z.number()),
  outputs: z.record(z.string(), z.unknown()),
  milliseconds: z.number(),
})
export type Deployment = z.infer<typeof Deployment>

export function urlOf({ outputs }: Deployment) {
  return String(outputs["url"])
}

/** URLs of pages by name: the service's first page, and the pages of the sandboxes. */
export type SandboxPages = Partial<Record<"signUp" | "mail" | "payment" | "openid", string>>

/** Returns the path of the service's first page, if a stack file turns pages on. */
export function firstPageOf(config: Record<string, unknown>): string | undefined {
  const { binding = "", firstPage } = project.secondModule ?? {}
  const keys = project.plain[binding]?.keys ?? []
  return keys.some((key) => config[`accounts:${key}`]) ? firstPage : undefined
}

export function deploymentTable(
  deployment: Deployment,
  { api }: Pick<LocalCloudflare, "api">,
  sandboxes?: SandboxPages,
): string {
  const { stack, provider, outputs } = deployment
  const url = urlOf(deployment)
  return table([
    ...pageRows({ "sign up": sandboxes?.signUp }),
    ["API page", `${url}${project.paths.apiPage}`],
    ["service", url],
    ["health", `${url}/api/health`],
    ["stack", `${stack} (${provider} Cloudflare provider)`],
    ["Worker", `${String(outputs["worker"])} version ${String(outputs["versionId"])}`],
    ["database", String(outputs["databaseId"])],
    ["migrations", String(outputs["migrationsHead"])],
    ["Cloudflare API", api],
    ...pageRows({
      "e-mails": sandboxes?.mail,
      payments: sandboxes?.payment,
      "sign-in": sandboxes?.openid,
    }),
  ])
}

function pageRows(rows: Record<string, string | undefined>): [string, string][] {
  return Object.entries(rows).flatMap(([title, page]) => (page ? [[title, page]] : []))
}

/** Returns the stack's outputs and local addresses as JSON, for `--json`. */
export function deploymentDocument(
  deployment: Deployment,
  { api, edge }: LocalCloudflare,
  sandboxes?: SandboxPages,
): string {
  const { stack, provider, outputs } = deployment
  return JSON.stringify({ ready: true, ...outputs, stack, provider, api, edge, ...sandboxes })
}
