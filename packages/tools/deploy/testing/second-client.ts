import type { openAccount } from "./account.ts"
import type { setUpWorker } from "./worker-under-test.ts"

type Worker = Awaited<ReturnType<typeof setUpWorker>>

const message = "another client"

/** Another person at the same Worker, with wrangler or the dashboard. */
export function openSecondClient(account: ReturnType<typeof openAccount>, worker: Worker) {
  const { scriptName, first, third } = worker
  let values = 0

  /** Deploys like a user who confirms wrangler's question about changed secrets. */
  async function deploy(shares: Record<string, number>): Promise<void> {
    await account.deploy(scriptName, shares, message, { force: true })
  }

  /** As `wrangler versions secret put`, and then all traffic. */
  async function editSecret(value: string): Promise<void> {
    await deploy({ [await worker.rotate("well", value)]: 100 })
  }

  return {
    deploy: () => deploy({ [third]: 100 }),
    rollBack: () => deploy({ [first]: 100 }),
    split: () => deploy({ [first]: 50, [third]: 50 }),
    editSecret: () => editSecret(`value ${(values += 1)}`),
  }
}
