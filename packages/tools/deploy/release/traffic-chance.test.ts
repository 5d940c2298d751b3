import { seededRandom } from "@accounts-stack/local/seeded-random"
import { expect, test } from "vitest"

import { watchTraffic } from "./traffic.ts"

/** A share of requests that fail, and their processor time: every tenth is a sign-in. */
type Kind = { fails: number; slower?: number }

/** Counts how many of a hundred releases are rolled back, at a tenth of the traffic and at half of it. */
async function takenBack(released: Kind, beside: Kind, { looks = 180, ...limits }) {
  const chance = seededRandom(31)
  const serve = async (percentage: number) => {
    const sum = { tried: createSum(released), beside: createSum(beside) }
    const watch = watchTraffic({
      traffic: {
        served: async () => (versionId) => sum[versionId === "tried" ? "tried" : "beside"].served(),
        shows: async () => true,
      },
      limits: { requests: 200, ...limits },
      versionId: "tried",
      other: "beside",
      percentage,
      from: 0,
      bake: 10 * looks,
    })
    for (let look = 0; look < looks; look += 1) {
      for (let request = 0; request < 50; request += 1) {
        sum[chance() < percentage / 100 ? "tried" : "beside"].add(chance)
      }
      await watch.conclude()
    }
  }
  let restored = 0
  for (let release = 0; release < 100; release += 1) {
    restored += await serve(10)
      .then(() => serve(50))
      .then(
        () => 0,
        () => 1,
      )
  }
  return restored
}

function createSum({ fails, slower = 1 }: Kind) {
  let [requests, serverErrors, time, squares] = [0, 0, 0, 0]
  return {
    add(chance: () => number) {
      requests += 1
      serverErrors += chance() < fails ? 1 : 0
      const cpuMs = (chance() < 0.1 ? 60 : 1) * slower
      time += cpuMs
      squares += cpuMs ** 2
    },
    served() {
      const cpuMs = time / Math.max(requests, 1)
      const cpuVariance = squares / Math.max(requests, 1) - cpuMs ** 2
      return { requests, serverErrors, exceptions: 0, cpuMs, cpuVariance }
    },
  }
}

test.each([
  [{ fails: 0.005 }, { fails: 0.005 }],
  [{ fails: 0.02 }, { fails: 0.02 }],
  // As while the database does not answer.
  [{ fails: 0.5 }, { fails: 0.5 }],
])("a version is not taken back for what chance does: %j beside %j", async (released, beside) => {
  expect(await takenBack(released, beside, { failures: 1, cpu: 50 })).toBeLessThanOrEqual(3)
})

test("a version is not taken back for the processor time of its first requests", async () => {
  const kind = { fails: 0 }
  expect(await takenBack(kind, kind, { requests: 0, cpu: 50, looks: 60 })).toBeLessThanOrEqual(3)
})

test.each([
  [{ fails: 0.05 }, { fails: 0 }],
  [{ fails: 0.03 }, { fails: 0.005 }],
  [{ fails: 0.01, slower: 2 }, { fails: 0.01 }],
  [{ fails: 1 }, { fails: 0.5 }],
])("a version that is worse is taken back: %j beside %j", async (released, beside) => {
  expect(await takenBack(released, beside, { failures: 1, cpu: 50 })).toBeGreaterThanOrEqual(98)
})
