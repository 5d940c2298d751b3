import { localCloudflareHere } from "@accounts/local/cloudflare/testing/in-process"

export type LocalCloudflare = Awaited<ReturnType<typeof startLocalCloudflare>>

/** No decision of the provider may rest on the kinder answers. */
export const doubts = { lateReads: 1, undeployedUnknown: true, otherCodes: true }

/** A local Cloudflare with an empty state, on any free ports, that answers in the less convenient ways. */
export async function startLocalCloudflare(answers: Partial<typeof doubts> = doubts) {
  const cloudflare = await localCloudflareHere()
  const { api, edge, accountId } = cloudflare
  const token = await cloudflare.token()
  await local("/local/settings", { doubts: answers })
  return {
    api,
    edge,
    accountId,
    token,
    local,
    [Symbol.asyncDispose]: () => cloudflare[Symbol.asyncDispose](),
  }

  /** Calls a route of the local Cloudflare itself, such as `/local/settings`: PUT if there is a body. */
  async function local(path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(new URL(path, api), {
      method: body === undefined ? "GET" : "PUT",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
}
