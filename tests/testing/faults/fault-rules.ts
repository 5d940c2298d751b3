import * as z from "zod"

type Api = { api: string; token: string }

const Answer = z.object({ result: z.array(z.object({ name: z.string(), fired: z.number() })) })

/** Replaces the faults that a local Cloudflare injects. */
export async function setFaults(cloudflare: Api, rules: unknown[]): Promise<void> {
  await call(cloudflare, { method: "PUT", body: JSON.stringify({ rules }) })
}

/** Names of the faults that have struck. */
export async function firedFaults(cloudflare: Api): Promise<string[]> {
  const { result } = Answer.parse(await call(cloudflare, { method: "GET" }))
  return result.filter(({ fired }) => fired > 0).map(({ name }) => name)
}

async function call({ api, token }: Api, request: RequestInit): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(new URL("/local/faults", api), { ...request, headers })
  if (!response.ok) throw new Error(await response.text())
  return await response.json()
}
