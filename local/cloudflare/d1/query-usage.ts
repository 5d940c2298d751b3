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

/** Statistics of queries over the API, in memory. */
export type QueryUsageLog = {
  record(query: Omit<QueryUsage, "hour" | "count">): void
  /** From the hour of `from` to the hour of `to`, ISO 8601, both inclusive. */
  between(from: string, to: string): QueryUsage[]
}

/** Entries with a text of their own; later queries share one with an empty text. */
const entryLimit = 5000

function hourOf(time: string) {
  return `${time.slice(0, 13)}:00:00Z`
}

export function createQueryUsageLog(now: () => Date = () => new Date()): QueryUsageLog {
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
    record({ databaseId, query, rowsRead, rowsWritten, rowsReturned, milliseconds }) {
      const entry = entryFor(databaseId, query)
      entry.count += 1
      entry.rowsRead += rowsRead
      entry.rowsWritten += rowsWritten
      entry.rowsReturned += rowsReturned
      entry.milliseconds += milliseconds
    },
    between: (from, to) =>
      [...entries.values()].filter(({ hour }) => hour >= hourOf(from) && hour <= hourOf(to)),
  }
}

function keyOf(...parts: string[]): string {
  return JSON.stringify(parts)
}
