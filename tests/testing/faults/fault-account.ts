import { startFaultServer } from "@accounts/local/fault-server"

import { openAccount } from "../../../provider/testing/account.ts"
import { startProviderHere } from "../../../provider/testing/provider-here.ts"
import { startSharedWrangler } from "../wrangler.ts"

export type FaultAccount = Awaited<ReturnType<typeof openFaultAccount>>

/** A local Cloudflare that injects faults, and the clients under test. */
export async function openFaultAccount() {
  await using opened = new AsyncDisposableStack()
  const cloudflare = opened.use(await startFaultServer())
  const { api, edge, accountId } = cloudflare
  const token = cloudflare.token
  const target = { event: "ready" as const, api, edge, accountId, token }
  const account = openAccount(target)
  const provider = opened.use(await startProviderHere({ baseUrl: api, token }))
  const wrangler = opened.use(startSharedWrangler(target))
  const all = opened.move()
  let made = 0
  return {
    cloudflare,
    target,
    account,
    provider,
    wrangler,
    /** A name unique to this account. */
    name: (stem: string) => `${stem}-${(made += 1)}`,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
