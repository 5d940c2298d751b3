import { startFaultServer } from "@accounts-stack/local/fault-server"

import { openAccount } from "../../../deploy/testing/account.ts"
import { startProviderHere } from "../../../deploy/testing/provider-here.ts"
import { startSharedWrangler } from "../wrangler.ts"

export type FaultAccount = Awaited<ReturnType<typeof openFaultAccount>>

/** A local Cloudflare that injects faults, and the clients under test. */
export async function openFaultAccount() {
  await using opened = new AsyncDisposableStack()
  const cloudflare = opened.use(await startFaultServer())
  const { api: baseUrl, token } = cloudflare
  const provider = opened.use(await startProviderHere({ baseUrl, token }))
  const wrangler = opened.use(startSharedWrangler(cloudflare))
  const resources = opened.move()
  let count = 0
  return {
    cloudflare,
    account: openAccount(cloudflare),
    provider,
    wrangler,
    /** A name unique to this account. */
    name: (stem: string) => `${stem}-${(count += 1)}`,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
