import type { Behaviour, openAccount } from "./account.ts"
import type { LocalCloudflare } from "./local-cloudflare.ts"
import type { ProviderProcess } from "./provider-process.ts"

type Surroundings = {
  cloudflare: LocalCloudflare
  account: ReturnType<typeof openAccount>
  provider: Pick<ProviderProcess, "create" | "update">
}

type More = { url?: string; steps?: number[] }

/** Seconds until a version that will never be well is given up: enough for it to start and answer. */
export const patience = 5

let workers = 0

/** A Worker of the test's own with these versions, of which none is live. */
export async function setUpWorker(surroundings: Surroundings, ...behaviours: Behaviour[]) {
  const { cloudflare, account, provider } = surroundings
  workers += 1
  const scriptName = `worker-${workers}`
  const workerId = await account.createWorker(scriptName)
  const versions: string[] = []
  for (const behaviour of behaviours) {
    versions.push(await account.createVersion(workerId, behaviour))
  }
  const [first = "", second = "", third = ""] = versions
  const url = `http://${scriptName}.accounts-local.workers.dev`
  const inputs = (versionId: string, more: More = {}) => ({
    accountId: cloudflare.accountId,
    scriptName,
    versionId,
    url,
    connectTo: cloudflare.edge,
    steps: [100],
    ...more,
  })
  return {
    scriptName,
    first,
    second,
    third,
    url,
    inputs,
    /** Share of the traffic by version, newest deployment first. */
    shares: async () => (await account.deployments(scriptName)).map(({ shares }) => shares),
    deployments: () => account.deployments(scriptName),
    deploy: (shares: Record<string, number>) => account.deploy(scriptName, shares),
    create: (versionId: string) => provider.create("Release", inputs(versionId)),
    /** From one version to another. `timeout` in seconds, for each trial. */
    async update(from: string, to: string, { timeout, ...more }: More & { timeout?: number } = {}) {
      const { id, outputs: olds } = await provider.create("Release", inputs(from))
      const change = { id, olds, oldInputs: inputs(from), inputs: inputs(to, more) }
      return provider.update("Release", change, timeout === undefined ? {} : { timeout })
    },
  }
}
