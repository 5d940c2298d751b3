import { expect, test } from "vitest"

import { startProviderUnderTest } from "../deploy/testing/provider-under-test.ts"
import { type ReleaseOutcome, setUpSubject } from "./testing/soak/release-run.ts"
import { guardZone, zoneModes } from "./testing/soak/zone-modes.ts"

const runs = process.env["SOAK_BUDGET"] === "full" ? 500 : 50
const seed = Number(process.env["SOAK_SEED"] ?? 1)
/** Releases at the same time: most of each is waiting. They share the zone's mode and the edge's machines. */
const together = 10

const parts = await startProviderUnderTest()
const { cloudflare } = parts

const subjects = await Promise.all(
  Array.from({ length: together }, (_, place) => setUpSubject(parts, place)),
)
const hosts = subjects.map(({ host }) => host)

async function runBatch(batch: number): Promise<ReleaseOutcome[]> {
  const mode = zoneModes[batch % zoneModes.length] ?? "off"
  const calm = batch % 2 === 0
  const machines = { count: calm ? 1 : 4, spreadMs: calm ? 0 : 800, seed: seed * 1000 + batch }
  await cloudflare.local("/local/settings", { machines: { count: 1, spreadMs: 0, seed: 0 } })
  const first = seed * 10_000 + batch * together
  const plans = subjects.map((subject, place) => ({
    subject,
    plan: { number: first + place, mode },
  }))
  await Promise.all(plans.map(({ subject, plan }) => subject.begin(plan)))
  await guardZone(cloudflare, mode, hosts)
  await cloudflare.local("/local/settings", { machines })
  return Promise.all(plans.map(({ subject, plan }) => subject.run(plan)))
}

type Shares = Record<string, number>

function shareOf(shares: Shares, version: string): number {
  return shares[version] ?? 0
}

/** Compares two deployments: JSON keeps no order of versions. */
function text(shares: Shares = {}): string {
  const entries = Object.entries(shares).map(([id, share]) => `${id} ${share}`)
  return entries.toSorted().join()
}

/**
 * Versions to which a deployment gives more than they had at the start. One of two may have all of the
 * traffic but a third version's while that one is released: the one that had no less than the other.
 */
function raisedBy(shares: Shares, start: Shares, released: string): string[] {
  const serving = Object.entries(start).filter(([id, share]) => share > 0 && id !== released)
  const most = Math.max(...serving.map(([, share]) => share))
  const isThird = serving.length === 2 && released in shares
  return Object.entries(shares)
    .filter(([id, share]) => id !== released && share > shareOf(start, id))
    .map(([id]) => id)
    .filter((id) => !(isThird && shareOf(start, id) === most))
}

/** Violations of the invariants of a release. */
function violationsOf(outcome: ReleaseOutcome): string[] {
  const { behaviour, guarded, calm, killed, released, before, foreign, deployments, ended } =
    outcome
  const succeeded = ended === "released"
  const [live] = deployments
  const alone = text({ [released]: 100 })
  const foreignIds = new Set(foreign.map(({ id }) => id))
  const earlierIds = new Set(before.map(({ id }) => id))
  // The deployment before the first request is the release's start, which it may replace.
  const startId = foreign.findLast(({ moment }) => moment === 1)?.id ?? before[0]?.id
  const start = deployments.find(({ id }) => id === startId)?.shares ?? {}
  const ownDeployments = deployments.filter(
    ({ id, message = "" }) =>
      !earlierIds.has(id) &&
      !foreignIds.has(id) &&
      !message.startsWith("deployed again after a release"),
  )
  const last = foreign.findLast(({ moment }) => moment > 1)
  const lastShares = text(deployments.find(({ id }) => id === last?.id)?.shares)
  const serving = Object.entries(live?.shares ?? {}).filter(([, share]) => share > 0)
  const isAlone = text(live?.shares) === alone
  const restored = text(live?.shares) === text(start)
  const unsure = behaviour === "sick" || guarded
  const mistakes = {
    "an untried version got traffic":
      unsure &&
      ownDeployments.some(({ shares }) => shareOf(shares, released) > shareOf(start, released)),
    "another version was raised above its share": ownDeployments.some(
      ({ shares }) => raisedBy(shares, start, released).length > 0,
    ),
    "a failed release did not restore what it found":
      !succeeded && !killed && last === undefined && !restored,
    "another client's deployment is lost":
      !killed && last !== undefined && text(live?.shares) !== lastShares,
    "the release says what is not so": succeeded
      ? !isAlone
      : isAlone && !restored && !killed && last === undefined,
    "a version sick at 100 % stayed": behaviour === "sick at 100 %" && succeeded,
    "nothing says what serves":
      !succeeded &&
      !killed &&
      !serving.every(
        ([id, share]) =>
          ended.includes(`${id} at ${share} %`) || ended.includes(`${id} serves again at 100 %`),
      ),
    "a good version was not released": calm && !succeeded,
  }
  return Object.entries(mistakes).flatMap(([name, holds]) => (holds ? [name] : []))
}

test(`${runs} releases from any split, beside another client and kills, in every mode of a zone: nothing untried gets traffic, no other version more than it had, and what serves is said`, async () => {
  const outcomes: ReleaseOutcome[] = []
  for (let batch = 0; batch < runs / together; batch += 1) outcomes.push(...(await runBatch(batch)))
  const violations = outcomes.flatMap((outcome) =>
    violationsOf(outcome).map((name) => {
      const { number, mode, behaviour, ended, before, deployments, released } = outcome
      const shares = deployments.slice(0, 1 + deployments.length - before.length)
      return `run ${number} (${mode}, ${behaviour}, ${released}): ${name}: ${ended} ${JSON.stringify(shares)}`
    }),
  )
  expect(violations).toEqual([])
  // The runs meet what they are for.
  const met = {
    released: outcomes.filter(({ ended }) => ended === "released"),
    "beside another client": outcomes.filter(({ foreign }) => foreign.length > 0),
    guarded: outcomes.filter(({ guarded }) => guarded),
    killed: outcomes.filter(({ killed }) => killed),
    "from a split": outcomes.filter(
      ({ before }) => Object.keys(before[0]?.shares ?? {}).length > 1,
    ),
    "of what is live": outcomes.filter(
      ({ before, released }) => (before[0]?.shares[released] ?? 0) > 0,
    ),
    "of a third version": outcomes.filter(
      ({ before, released }) =>
        Object.values(before[0]?.shares ?? {}).filter((share) => share > 0).length > 1 &&
        before[0]?.shares[released] === undefined,
    ),
  }
  const counts = Object.entries(met).map(([event, of]) => [event, of.length] as const)
  process.stdout.write(`${runs} runs: ${counts.map((count) => count.join(" ")).join(", ")}\n`)
  for (const [event, count] of counts) expect(count, event).toBeGreaterThan(runs / 20)
})
