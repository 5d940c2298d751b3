import { availableParallelism, loadavg } from "node:os"

import { workersDevHost } from "@accounts-stack/local/seed"

import type { Behaviour, Binding, openAccount } from "./account.ts"
import type { LocalCloudflare } from "./local-cloudflare.ts"
import type { ProviderProcess } from "./provider-process.ts"

type TestAccount = {
  cloudflare: LocalCloudflare
  account: ReturnType<typeof openAccount>
  provider: Pick<ProviderProcess, "create" | "update">
  workersDev?: boolean
}

type More = { url?: string; zone?: string; zoneId?: string; steps?: number[]; bake?: number }

const [load = 0] = loadavg()

/** Seconds after which a release gives up on a version: enough for it to start and answer, on a busy machine, too. */
export const trialTimeout = Math.ceil(5 + load / availableParallelism())

let workers = 0

/** A new Worker with these versions, none of them live, on workers.dev unless told otherwise. */
export async function setUpWorker(testAccount: TestAccount, ...behaviours: Behaviour[]) {
  const { cloudflare, account, provider, workersDev } = testAccount
  workers += 1
  const scriptName = `worker-${workers}`
  const workerId = await account.createWorker(scriptName, workersDev)
  const versions: string[] = []
  for (const behaviour of behaviours) {
    versions.push(await account.createVersion(workerId, behaviour))
  }
  const [first = "", second = "", third = ""] = versions
  const url = `http://${workersDevHost(scriptName)}`
  const inputs = (versionId: string, overrides: More = {}) => ({
    accountId: cloudflare.accountId,
    scriptName,
    versionId,
    url,
    zone: "accounts.test",
    connectTo: cloudflare.edge,
    steps: [100],
    ...overrides,
  })
  return {
    scriptName,
    first,
    second,
    third,
    url,
    inputs,
    /** Uploads one more version, with more bindings. */
    upload: (behaviour: Behaviour, extraBindings: Binding[] = []) =>
      account.createVersion(workerId, behaviour, extraBindings),
    /** Uploads one more version, with the value of a secret. */
    rotate: (behaviour: Behaviour, secret: string) =>
      account.createVersion(workerId, behaviour, [
        { type: "secret_text", name: "ROTATED", text: secret },
      ]),
    /** Share of the traffic by version, newest deployment first. */
    shares: async () => (await account.deployments(scriptName)).map(({ shares }) => shares),
    deployments: () => account.deployments(scriptName),
    deploy: (shares: Record<string, number>, message?: string) =>
      account.deploy(scriptName, shares, message),
    create: (versionId: string) => provider.create("Release", inputs(versionId)),
    /** From one version to another. `timeout` in seconds, for each trial. */
    async update(
      from: string,
      to: string,
      { timeout, ...overrides }: More & { timeout?: number } = {},
    ) {
      const { id, outputs: olds } = await provider.create("Release", inputs(from))
      const change = { id, olds, oldInputs: inputs(from), inputs: inputs(to, overrides) }
      return provider.update("Release", change, timeout === undefined ? {} : { timeout })
    },
  }
}
