/** Milliseconds of each run, in order. */
export type Sample = number[]

/** The median, and the quartiles around it. */
type Spread = { lower: number; median: number; upper: number }

export function median(sample: Sample): number {
  return spread(sample).median
}

/** The value below which a `fraction` of `sorted` lies. */
export function percentile(sorted: number[], fraction: number) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN
}

function spread(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
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
