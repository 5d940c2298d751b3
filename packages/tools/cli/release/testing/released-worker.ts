import type { Behaviour } from "../../../deploy/testing/account.ts"
import type { startAccount } from "../../database/testing/database-site.ts"

/** Options of a move of traffic. */
export const options = {
  patience: 60_000,
  log: { info: () => {}, warn: () => {} },
  signal: new AbortController().signal,
}

/** A Worker whose versions were released one after the other; the last one serves. */
export async function setUpReleased(
  underTest: Awaited<ReturnType<typeof startAccount>>,
  behaviours: Behaviour[],
) {
  const { account } = underTest
  const site = await underTest.openSite({})
  const workerId = await account.createWorker(site.worker)
  const versions: string[] = []
  for (const behaviour of behaviours) {
    const version = await account.createVersion(workerId, behaviour)
    await account.deploy(site.worker, { [version]: 100 }, `release ${versions.length}`)
    versions.push(version)
  }
  const shares = async () =>
    (await account.deployments(site.worker)).map((deployment) => deployment.shares)
  return { site, versions, shares, [Symbol.asyncDispose]: () => site[Symbol.asyncDispose]() }
}
