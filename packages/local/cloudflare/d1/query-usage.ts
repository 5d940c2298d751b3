export type QueryUsage = {
  databaseId: string
  /** Start of the hour, ISO 8601. */
  hour: string
  query: string
  count: number
  rowsRead: number
  rowsWritten: number
  rowsReturned: number
  milliseconds: number
}

export type QueryUsageLog = ReturnType<typeof createQueryUsageLog>

/** Entries with a text of their own; later queries share one with an empty text. */
const entryLimit = 5000

function hourOf(time: string) {
  return `${time.slice(0, 13)}:00:00Z`
}

/** Statistics of queries over the API, in memory. */
export function createQueryUsageLog(now: () => Date = () => new Date()) {
  const entries = new Map<string, QueryUsage>()

  function entryFor(databaseId: string, text: string): QueryUsage {
    const hour = hourOf(now().toISOString())
    const query =
      entries.size < entryLimit || entries.has(keyOf(hour, databaseId, text)) ? text : ""
    const key = keyOf(hour, databaseId, query)
    const none = { count: 0, rowsRead: 0, rowsWritten: 0, rowsReturned: 0, milliseconds: 0 }
    const entry = entries.get(key) ?? { databaseId, hour, query, ...none }
    entries.set(key, entry)
    return entry
  }

  return {
    record(asked: Omit<QueryUsage, "hour" | "count">) {
      const entry = entryFor(asked.databaseId, asked.query)
      entry.count += 1
      entry.rowsRead += asked.rowsRead
      entry.rowsWritten += asked.rowsWritten
      entry.rowsReturned += asked.rowsReturned
      entry.milliseconds += asked.milliseconds
    },
    /** From the hour of `from` to the hour of `to`, ISO 8601, both inclusive. */
    between: (from: string, to: string) =>
      [...entries.values()].filter(({ hour }) => hour >= hourOf(from) && hour <= hourOf(to)),
  }
}

function keyOf(...parts: string[]): string {
  return JSON.stringify(parts)
}
