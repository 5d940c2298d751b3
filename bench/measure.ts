/** Milliseconds of each run, in order. */
export type Sample = number[]

/** The median, and the quartiles around it. */
type Spread = { lower: number; median: number; upper: number }

export async function time(task: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await task()
  return performance.now() - began
}

/** Runs each task once per round, so that other load on the machine affects all of them alike. */
export async function sideBySide(
  rounds: number,
  tasks: Record<string, (round: number) => Promise<unknown>>,
): Promise<Map<string, Sample>> {
  const samples = new Map<string, Sample>(Object.keys(tasks).map((name) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, task] of Object.entries(tasks)) {
      samples.get(name)?.push(await time(() => task(round)))
    }
  }
  return samples
}

export function median(sample: Sample): number {
  return spread(sample).median
}

/** The value below which a `fraction` of `sorted` lies. */
export function percentile(sorted: number[], fraction: number) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN
}

function spread(values: number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = [sorted[Math.ceil(sorted.length / 2) - 1], percentile(sorted, 0.5)]
  return {
    lower: percentile(sorted, 0.25),
    median: middle.reduce((sum: number, each = Number.NaN) => sum + each / 2, 0),
    upper: percentile(sorted, 0.75),
  }
}

export function digits(value: number) {
  return value >= 10 ? value.toFixed(0) : value.toPrecision(2)
}

/** The median with its quartiles in brackets, for a table. */
export function describe(values: number[], format = (value: number) => value.toFixed(2)): string {
  const { lower, median: middle, upper } = spread(values)
  return `${format(middle)} (${format(lower)}–${format(upper)})`
}
