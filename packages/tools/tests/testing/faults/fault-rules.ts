import { callLocal } from "@accounts-stack/local/cloudflare/testing/call-local"
import * as z from "zod"

type Api = { api: string; token: string }

const Answer = z.object({ result: z.array(z.object({ name: z.string(), fired: z.number() })) })

/** Replaces the faults that a local Cloudflare injects. */
export async function setFaults(cloudflare: Api, rules: unknown[]): Promise<void> {
  await callLocal(cloudflare, "/local/faults", { rules })
}

/** Names of the faults that have struck. */
export async function firedFaults(cloudflare: Api): Promise<string[]> {
  const { result } = Answer.parse(await callLocal(cloudflare, "/local/faults"))
  return result.filter(({ fired }) => fired > 0).map(({ name }) => name)
}
