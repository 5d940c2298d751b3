import { afterAll, expect, test } from "vitest"

import { startProviderUnderTest } from "../provider/testing/provider-under-test.ts"
import { type ReleaseOutcome, setUpSubject } from "./testing/soak/release-run.ts"
import { guardZone, zoneModes } from "./testing/soak/zone-modes.ts"

const runs = process.env["SOAK_BUDGET"] === "full" ? 500 : 50
const seed = Number(process.env["SOAK_SEED"] ?? 1)
/** Releases at the same time: most of each is waiting. They share the zone's mode and the edge's machines. */
const together = 10

const parts = await startProviderUnderTest()
const { cloudflare } = parts
afterAll(() => parts[Symbol.asyncDispose]())

const subjects = await Promise.all(
  Array.from({ length: together }, (_, place) => setUpSubject(parts, place)),
)
const hosts = subjects.map(({ host }) => host)

async function runBatch(batch: number): Promise<ReleaseOutcome[]> {
  const mode = zoneModes[batch % zoneModes.length] ?? "off"
  const calm = batch % 2 === 0
  const machines = { count: calm ? 1 : 4, spreadMs: calm ? 0 : 800, seed: seed * 1000 + batch }
  await cloudflare.local("/local/settings", { machines: { count: 1, spreadMs: 0, seed: 0 } })
  await Promise.all(subjects.map(({ reset }) => reset()))
  await guardZone(cloudflare, mode, hosts)
  await cloudflare.local("/local/settings", { machines })
  const first = seed * 10_000 + batch * together
  return Promise.all(subjects.map(({ run }, place) => run({ number: first + place, mode })))
}

/** What must never happen, as far as it happened. */
function violationsOf(outcome: ReleaseOutcome): string[] {
  const { behaviour, guarded, calm, second, before, foreign, deployments, ended } = outcome
  const released = ended === "released"
  const text = (shares: Record<string, number> | undefined) => JSON.stringify(shares)
  const [live] = deployments
  const alone = text({ [second]: 100 })
  const foreignIds = new Set(foreign.map(({ id }) => id))
  const known = new Set(before.map(({ id }) => id))
  const own = deployments.filter(({ id }) => !known.has(id) && !foreignIds.has(id))
  // What stood before the first request is the release's start; it may replace that.
  const last = foreign.findLast(({ moment }) => moment > 1)
  const lastShares = text(deployments.find(({ id }) => id === last?.id)?.shares)
  const serving = Object.entries(live?.shares ?? {}).filter(([, share]) => share > 0)
  const found = {
    "an untried version got traffic":
      (behaviour === "sick" || guarded) && own.some(({ shares }) => (shares[second] ?? 0) > 0),
    "somebody else's is lost": last !== undefined && text(live?.shares) !== lastShares,
    "the release says what is not so": released !== (text(live?.shares) === alone),
    "a version sick at 100 % stayed": behaviour === "sick at 100 %" && released,
    "nothing says what serves":
      !released &&
      !serving.every(
        ([id, share]) =>
          ended.includes(`${id} at ${share} %`) || ended.includes(`${id} serves again at 100 %`),
      ),
    "a good version was not released": calm && !released,
  }
  return Object.entries(found).flatMap(([name, holds]) => (holds ? [name] : []))
}

test(`${runs} releases beside another client, in every mode of a zone: nothing untried serves alone, nobody's deployment is lost, and what serves is said`, async () => {
  const outcomes: ReleaseOutcome[] = []
  for (let batch = 0; batch < runs / together; batch += 1) outcomes.push(...(await runBatch(batch)))
  const violations = outcomes.flatMap((outcome) =>
    violationsOf(outcome).map((name) => {
      const { number, mode, behaviour, ended } = outcome
      return `run ${number} (${mode}, ${behaviour}): ${name}: ${ended}`
    }),
  )
  expect(violations).toEqual([])
  // The runs meet what they are for.
  const released = outcomes.filter(({ ended }) => ended === "released")
  expect(released.length).toBeGreaterThan(runs / 20)
  expect(outcomes.filter(({ foreign }) => foreign.length > 0).length).toBeGreaterThan(runs / 4)
  expect(outcomes.filter(({ guarded }) => guarded).length).toBeGreaterThan(runs / 10)
})
