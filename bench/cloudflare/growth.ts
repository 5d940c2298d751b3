import { median, time } from "../measure.ts"
import { openAlone } from "./alone.ts"
import type { Fleet } from "./fleet.ts"
import { usageOf, type Usage } from "./usage.ts"

/** What one size of a local Cloudflare costs; times in milliseconds, one for each round. */
export type Growth = {
  /** Workers that are live, each with one version. */
  size: number
  main: Usage
  storage: Usage
  versions: Usage[]
  /** workerd alone, started with the same script until it answers. */
  alone: number[]
  /** From the upload of a version until the edge answers with it. */
  release: number[]
  /** From the start of the process until it is ready, with every Worker running. */
  restart: number[]
}

const sizes = [1, 10, 30] as const

type GrowthOptions = { rounds: number; onRound: (line: string) => void }

/** Lets `fleet` grow step by step, and measures what each takes. */
export async function measureGrowth(
  fleet: Fleet,
  { rounds, onRound }: GrowthOptions,
): Promise<Growth[]> {
  const growths: Growth[] = []
  for (const size of sizes) {
    await fleet.grow(size)
    // The versions from before, which stay warm for a while, are no part of it.
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
    const told = { alone, release, restart }
    const line = Object.entries(told).map(([what, all]) => `${what} ${Math.round(median(all))} ms`)
    onRound(`${size} live: ${line.join(", ")}`)
  }
  return growths
}

/** @returns milliseconds until it has answered; what ending it takes does not count */
async function startAlone(): Promise<number> {
  const began = performance.now()
  await using alone = await openAlone()
  await (await fetch(alone.address)).text()
  return performance.now() - began
}
