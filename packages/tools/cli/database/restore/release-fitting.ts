import { Failure, messageOf } from "../../../base/failure.ts"
import { type Deployment, allTraffic, moves } from "../../../deploy/release/deployments.ts"
import { openSchemaCheck } from "../../../deploy/release/schema-fit.ts"
import { moveTraffic, type TrafficMove } from "../../release/traffic-move.ts"
import { readPlan } from "./stand-in.ts"
import { deploymentsOf, type Site, type Waiting } from "./stop-traffic.ts"

/** How many former versions are tried, at most; those that cannot fit are not. */
const limit = 5

/**
 * Gives the traffic back to the newest version that fits the schema of now. What a version uses is
 * compared before anything moves; then it is tried at no traffic, as a release does it.
 * Returns its id.
 * @throws Failure when none does; the traffic stays stopped
 */
export async function releaseFitting(
  site: Site,
  { signal, patience, say }: Waiting,
): Promise<string> {
  const { api, accountId, worker: scriptName, database } = site
  const check = openSchemaCheck({ api, accountId, scriptName })
  const refusals: string[] = []
  const refuse = (reason: string) => {
    refusals.push(reason)
    say(`passed over: ${reason}`)
  }
  let tried = 0
  for (const to of await formerVersions(site)) {
    signal.throwIfAborted()
    const fit = await check(to)
    if (fit.fits === false) {
      refuse(`version ${to} does not fit the schema: ${fit.reason}`)
      continue
    }
    if (tried === limit) break
    tried += 1
    const [live, ...earlier] = await deploymentsOf(site).list()
    if (live === undefined) break
    const history: TrafficMove["history"] = [live, ...earlier]
    const move = { history, to: allTraffic(to), why: moves.restore }
    try {
      await moveTraffic(site, move, { patience, signal, log: { info: say, warn: say } })
      return to
    } catch (error) {
      refuse(messageOf(error))
    }
  }
  const { stack } = site
  const head = (await database.applied()).at(-1)?.name ?? "no migration"
  const reasons = refusals.map((reason) => `\n  ${reason}`).join("")
  throw new Failure(
    "COMMAND_FAILED",
    `The database stands at ${head}, and no version that served before fits it, so traffic stays stopped. ` +
      `To go on, deploy ${stack} from a commit whose newest migration is ${head} or a later one: that applies what is missing, and releases. ` +
      `To go back: ./accounts database restore -s ${stack} --undo.${reasons}`,
  )
}

/** Those that had traffic, newest first, without those that stood in for them. */
async function formerVersions(site: Site): Promise<string[]> {
  const found: string[] = []
  for (const deployment of await deploymentsOf(site).list()) {
    for (const versionId of versionsIn(deployment)) {
      if (found.includes(versionId)) continue
      if ((await readPlan(site, versionId)) === undefined) found.push(versionId)
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
