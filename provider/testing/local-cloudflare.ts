import { localCloudflare } from "@accounts/local/cloudflare/testing/process"

export type LocalCloudflare = Awaited<ReturnType<typeof startLocalCloudflare>>

/** A local Cloudflare with an empty state, on any free ports. */
export async function startLocalCloudflare() {
  const cloudflare = await localCloudflare()
  const { api, edge, accountId } = cloudflare
  return {
    api,
    edge,
    accountId,
    token: await cloudflare.token(),
    [Symbol.asyncDispose]: () => cloudflare[Symbol.asyncDispose](),
  }
}
