import { seededRandom } from "@accounts/local/seeded-random"
import { afterAll, expect, test } from "vitest"

import type { Behaviour } from "../provider/testing/account.ts"
import { startProviderUnderTest } from "../provider/testing/provider-under-test.ts"
import { setUpWorker } from "../provider/testing/worker-under-test.ts"

const runs = process.env["SOAK_BUDGET"] === "full" ? 500 : 50
const seed = Number(process.env["SOAK_SEED"] ?? 1)

const underTest = await startProviderUnderTest()
const { cloudflare, proxy, provider, account } = underTest
afterAll(() => underTest[Symbol.asyncDispose]())

type Outcome = Awaited<ReturnType<typeof run>>

/** One release, during which another client acts before the `moment`-th request to the API. */
async function run(number: number) {
  const random = seededRandom(seed * 1000 + number)
  const pick = <T>(...choices: T[]): T | undefined => choices[Math.floor(random() * choices.length)]
  const behaviour: Behaviour = pick("well", "well", "sick", "sick at 100 %") ?? "well"
  const machines = { count: pick(1, 4) ?? 1, spreadMs: pick(0, 800) ?? 0, seed: number }
  await cloudflare.local("/local/settings", { machines })
  const worker = await setUpWorker({ cloudflare, account, provider }, "well", behaviour, "well")
  const { id, outputs: olds } = await worker.create(worker.first)
  const foreign = pick(
    undefined,
    { [worker.third]: 100 },
    { [worker.first]: 100 },
    { [worker.first]: 50, [worker.third]: 50 },
  )
  let left = 1 + Math.floor(random() * 12)
  let acted = false
  const first = async () => {
    left -= 1
    if (left !== 0 || foreign === undefined) return
    acted = true
    await worker.deploy(foreign, "somebody else")
  }
  const path = new RegExp(`/scripts/${worker.scriptName}/`)
  for (const method of ["GET", "POST"]) proxy.inject({ method, path, first, times: 1000 })
  const [oldInputs, inputs] = [worker.inputs(worker.first), worker.inputs(worker.second)]
  const change = { id, olds, oldInputs, inputs }
  const ended = await provider.update("Release", change, { timeout: 8 }).then(
    () => "released",
    (error: unknown) => String(error),
  )
  const [live, ...before] = await worker.deployments()
  return { worker, behaviour, foreign, acted, ended, live, before }
}

/** What must never happen, as far as it happened. */
function violationsOf({ worker, behaviour, foreign, acted, ended, live, before }: Outcome) {
  const serves = JSON.stringify(live?.shares)
  const alone = JSON.stringify({ [worker.second]: 100 })
  const released = ended === "released"
  const earlier = before.map(({ shares }) => JSON.stringify(shares))
  return [
    acted && !released && serves !== JSON.stringify(foreign) && "somebody else's is lost",
    released !== (serves === alone) && "the release says what is not so",
    behaviour === "sick" && (released || earlier.includes(alone)) && "an untried version served",
    !released &&
      !/serves again at 100 %|live is|a gradual deployment is under way/.test(ended) &&
      "nothing says what serves",
  ].filter((text) => text !== false)
}

test(`${runs} releases beside another client: nothing untried serves alone, and nobody's deployment is lost`, async () => {
  const violations: string[] = []
  let foreigners = 0
  for (let number = 1; number <= runs; number += 1) {
    const outcome = await run(number)
    foreigners += Number(outcome.acted)
    const found = violationsOf(outcome)
    violations.push(...found.map((text) => `run ${number}: ${text}: ${outcome.ended}`))
  }
  expect(violations).toEqual([])
  expect(foreigners).toBeGreaterThan(runs / 4)
})
