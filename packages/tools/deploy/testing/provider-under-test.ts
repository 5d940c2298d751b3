import { openAccount } from "./account.ts"
import { startFaultProxy } from "./fault-proxy.ts"
import { startLocalCloudflare } from "./local-cloudflare.ts"
import { startProviderHere } from "./provider-here.ts"

/** A provider that reaches a local Cloudflare of its own through a proxy that injects faults. */
export async function startProviderUnderTest() {
  const cloudflare = await startLocalCloudflare()
  const proxy = await startFaultProxy(cloudflare.api)
  const provider = await startProviderHere({ baseUrl: proxy.url, token: cloudflare.token })
  return {
    cloudflare,
    proxy,
    provider,
    account: openAccount(cloudflare),
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]()
      await proxy[Symbol.asyncDispose]()
      await cloudflare[Symbol.asyncDispose]()
    },
  }
}
