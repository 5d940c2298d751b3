import * as z from "zod"

import { table } from "../output.ts"
import type { LocalCloudflare } from "../process/local-cloudflare.ts"

/** What one deployment of `local` did, as it comes from the process that made it. */
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

/** Pages of what the service writes and charges to on this machine, where it does. */
export type Ends = { mail: string; payment: string }

export function deploymentTable(
  deployment: Deployment,
  { api }: LocalCloudflare,
  ends?: Ends,
): string {
  const { stack, provider, outputs } = deployment
  const url = urlOf(deployment)
  return table([
    ["service", url],
    ["health", `${url}/api/health`],
    ["API page", `${url}/api/v1/docs`],
    ["stack", `${stack} (${provider} Cloudflare provider)`],
    ["Worker", `${String(outputs["worker"])} version ${String(outputs["versionId"])}`],
    ["database", String(outputs["databaseId"])],
    ["migrations", String(outputs["migrationsHead"])],
    ["Cloudflare API", api],
    ["console", `${new URL("/", api).href} (./accounts local console signs in)`],
    ...(ends
      ? [
          ["mail sent", ends.mail] satisfies [string, string],
          ["payments", ends.payment] satisfies [string, string],
        ]
      : []),
  ])
}

/** For scripts: what the table says, and the outputs of the stack under their own names. */
export function deploymentDocument(
  deployment: Deployment,
  { api, edge }: LocalCloudflare,
  ends?: Ends,
): string {
  const { stack, provider, outputs } = deployment
  return JSON.stringify({ ready: true, ...outputs, stack, provider, api, edge, ...ends })
}
