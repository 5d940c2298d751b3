import { median, time } from "../measure.ts"
import type { Fleet } from "./fleet.ts"
import { usageOf, type Usage } from "./process-usage.ts"
import { openWorkerdAlone } from "./workerd-alone.ts"

/** The cost of one size of a local Cloudflare; times in milliseconds, one per round. */
export type Growth = {
  /** Live Workers, each with one version. */
  size: number
  main: Usage
  storage: Usage
  versions: Usage[]
  /** From the start of workerd alone, with the same script, until it answers. */
  alone: number[]
  /** From the upload of a version until the edge answers with it. */
  release: number[]
  /** From the start of the process until it is ready, with every Worker running. */
  restart: number[]
}

const sizes = [1, 10, 30] as const

type GrowthOptions = { rounds: number; onRound: (line: string) => void }

/** Grows `fleet` step by step and measures each size. */
export async function measureGrowth(
  fleet: Fleet,
  { rounds, onRound }: GrowthOptions,
): Promise<Growth[]> {
  const growths: Growth[] = []
  for (const size of sizes) {
    await fleet.grow(size)
    // A restart drops the previous versions, which would otherwise stay warm for a while.
    const restart = [await fleet.restart()]
    await fleet.visit()
    const processes = await fleet.processes()
    const versions = processes.versions.map(usageOf)
    if (versions.length !== size) throw new Error(`${versions.length} of ${size} Workers run`)
    const [main, storage] = [usageOf(processes.main), usageOf(processes.storage)]
    const alone: number[] = []
    const release: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      alone.push(await startAlone())
      release.push(await time(() => fleet.release(fleet.first())))
    }
    while (restart.length < rounds) restart.push(await fleet.restart())
    growths.push({ size, main, storage, versions, alone, release, restart })
    const times = { alone, release, restart }
    const line = Object.entries(times).map(([name, all]) => `${name} ${Math.round(median(all))} ms`)
    onRound(`${size} live: ${line.join(", ")}`)
  }
  return growths
}

/** @returns milliseconds until it has answered, without the time to shut it down */
async function startAlone(): Promise<number> {
  const began = performance.now()
  await using alone = await openWorkerdAlone()
  await (await fetch(alone.address)).text()
  return performance.now() - began
}
