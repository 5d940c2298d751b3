import { afterAll } from "vitest"

import { type Behaviour, openAccount } from "./account.ts"
import { setUpDatabase } from "./database-under-test.ts"
import { startFaultProxy } from "./fault-proxy.ts"
import { startLocalCloudflare } from "./local-cloudflare.ts"
import { startProviderHere } from "./provider-here.ts"
import { setUpWorker } from "./worker-under-test.ts"

/** A provider for a file of tests, which reaches a local Cloudflare of its own through a proxy that injects faults. */
export async function startProviderUnderTest() {
  const cloudflare = await startLocalCloudflare()
  const proxy = await startFaultProxy(cloudflare.api)
  const provider = await startProviderHere({ baseUrl: proxy.url, token: cloudflare.token })
  afterAll(async () => {
    for (const part of [provider, proxy, cloudflare]) await part[Symbol.asyncDispose]()
  })
  const underTest = { cloudflare, proxy, provider, account: openAccount(cloudflare) }
  return {
    ...underTest,
    setUpDatabase: (files: Record<string, string>) => setUpDatabase(underTest, files),
    setUpWorker: (...behaviours: Behaviour[]) => setUpWorker(underTest, ...behaviours),
  }
}
