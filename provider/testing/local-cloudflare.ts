import { localCloudflareHere } from "@accounts/local/cloudflare/testing/in-process"

export type LocalCloudflare = Awaited<ReturnType<typeof startLocalCloudflare>>

/** A local Cloudflare with an empty state, on any free ports. */
export async function startLocalCloudflare() {
  const cloudflare = await localCloudflareHere()
  const { api, edge, accountId } = cloudflare
  const token = await cloudflare.token()
  return {
    api,
    edge,
    accountId,
    token,
    /** Calls a route of the local Cloudflare itself, such as `/local/settings`: PUT if there is a body. */
    async local(path: string, body?: unknown): Promise<unknown> {
      const response = await fetch(new URL(path, api), {
        method: body === undefined ? "GET" : "PUT",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
      return response.json()
    },
    [Symbol.asyncDispose]: () => cloudflare[Symbol.asyncDispose](),
  }
}
