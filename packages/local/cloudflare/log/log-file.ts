import { existsSync, readFileSync } from "node:fs"

import { type LogFilter, type LoggedEntry, LoggedEntry as Entry, matches } from "./filter.ts"

/** The newest entries of a log file and of the one it replaced, oldest first. */
export function readNewest(file: string, filter: LogFilter, limit: number): LoggedEntry[] {
  const newestFirst: LoggedEntry[] = []
  for (const name of [file, `${file}.1`]) {
    if (!existsSync(name)) continue
    for (const line of readFileSync(name, "utf8").split("\n").toReversed()) {
      if (newestFirst.length >= limit) break
      const entry = parseLine(line)
      if (entry !== undefined && matches(entry, filter)) newestFirst.push(entry)
    }
  }
  return newestFirst.toReversed()
}

export function endsWithLine(file: string): boolean {
  const text = readFileSync(file)
  return text.length === 0 || text.at(-1) === 0x0a
}

/** @returns undefined for half a line, which a killed process may leave */
function parseLine(line: string): LoggedEntry | undefined {
  try {
    return Entry.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}
