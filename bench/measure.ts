/** Milliseconds of each run, in order. */
export type Sample = number[]

export async function time(task: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await task()
  return performance.now() - began
}

/** Runs each task once per round, so that other load on the machine affects all of them alike. */
export async function sideBySide<Name extends string>(
  rounds: number,
  tasks: Record<Name, (round: number) => Promise<unknown>>,
): Promise<Map<string, Sample>> {
  const samples = new Map<string, Sample>()
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, task] of Object.entries<(round: number) => Promise<unknown>>(tasks)) {
      samples.set(name, [...(samples.get(name) ?? []), await time(() => task(round))])
    }
  }
  return samples
}

export function median(sample: Sample): number {
  const sorted = sample.toSorted((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}
