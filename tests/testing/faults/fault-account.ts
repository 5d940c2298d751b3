import { startFaultServer } from "@accounts/local/fault-server"

import { openAccount } from "../../../provider/testing/account.ts"
import { startProvider } from "../../../provider/testing/provider-process.ts"

export type FaultAccount = Awaited<ReturnType<typeof openFaultAccount>>

/** A local Cloudflare that injects faults, and the clients under test. */
export async function openFaultAccount() {
  await using opened = new AsyncDisposableStack()
  const cloudflare = opened.use(await startFaultServer())
  const { api, edge, accountId } = cloudflare
  const token = await cloudflare.token()
  const target = { event: "ready" as const, api, edge, accountId, token }
  const account = openAccount(target)
  const provider = opened.use(await startProvider({ baseUrl: api, token }))
  const all = opened.move()
  let made = 0
  return {
    cloudflare,
    target,
    account,
    provider,
    /** A name unique to this account. */
    name: (stem: string) => `${stem}-${(made += 1)}`,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
