import { Failure, messageOf } from "../../../failure.ts"
import type { Deployment } from "../../../provider/release/deployments.ts"
import { rollBack } from "../../release/rollback.ts"
import { readPlan } from "./stand-in.ts"
import { deploymentsOf, type Site, type Waiting } from "./stop-traffic.ts"

/** How many former versions are tried. */
const limit = 5

/**
 * Gives the traffic back to the newest version that fits the schema of now: each is tried at no
 * traffic, as a release does it. Returns its id.
 * @throws Failure when none does; the traffic stays stopped
 */
export async function releaseFitting(
  site: Site,
  { signal, patience, say }: Waiting,
): Promise<string> {
  const refusals: string[] = []
  for (const to of await formerVersions(site)) {
    const live = await deploymentsOf(site).live()
    const from = live?.split[0]?.versionId
    if (live === undefined || from === undefined) break
    try {
      await rollBack(site, { live, from, to }, { patience, signal, log: { info: say, warn: say } })
      return to
    } catch (error) {
      refusals.push(messageOf(error))
    }
  }
  const reasons = refusals.map((reason) => `\n  ${reason}`).join("")
  throw new Failure(
    "COMMAND_FAILED",
    `No version that served before fits the schema of the database, so traffic stays stopped. ` +
      `Deploy ${site.stack}: that applies the migrations which are missing now, and releases.${reasons}`,
  )
}

/** Those that had traffic, newest first, without those that stood in for them. */
async function formerVersions(site: Site): Promise<string[]> {
  const found: string[] = []
  for (const deployment of await deploymentsOf(site).list()) {
    for (const versionId of versionsIn(deployment)) {
      if (found.includes(versionId)) continue
      if ((await readPlan(site, versionId)) === undefined) found.push(versionId)
      if (found.length === limit) return found
    }
  }
  return found
}

function versionsIn({ split }: Deployment): string[] {
  return split
    .filter(({ percentage }) => percentage > 0)
    .toSorted((one, other) => other.percentage - one.percentage)
    .map(({ versionId }) => versionId)
}
