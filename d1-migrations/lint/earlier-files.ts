import { readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"

/** A migration's place in its folder: `0007_name.sql`, or drizzle's newer `20260101_name/migration.sql`. */
type Numbered = { path: string; number: number; name: string }

/**
 * The migrations of the same folder that run before a file, oldest first, ordered as wrangler orders
 * them. Undefined when the name has no number, or when the first of them are not there.
 */
export function earlierFiles(path: string): string[] | undefined {
  const nested = basename(path) === "migration.sql"
  const folder = nested ? dirname(dirname(path)) : dirname(path)
  const own = numbered(path, nested ? basename(dirname(path)) : basename(path))
  if (own === undefined) return undefined
  const all = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (nested !== entry.isDirectory()) return []
    // What undoes a migration is no part of what comes before another one.
    if (!nested && !/(?<!\.down)\.sql$/.test(entry.name)) return []
    const at = join(folder, entry.name)
    return numbered(nested ? join(at, "migration.sql") : at, entry.name) ?? []
  })
  const before = all.filter((one) => compare(one, own) < 0).toSorted(compare)
  const [first = own] = before
  return isFirst(first.number) ? before.map((one) => one.path) : undefined
}

function numbered(path: string, name: string): Numbered | undefined {
  const digits = /^\d+/.exec(name)?.[0]
  return digits === undefined ? undefined : { path, name, number: Number(digits) }
}

function compare(one: Numbered, other: Numbered): number {
  return one.number - other.number || (one.name < other.name ? -1 : Number(one.name > other.name))
}

/** Counted from 0 or 1, or a time. */
function isFirst(number: number): boolean {
  return number <= 1 || number >= 1_000_000
}

export function readScript(path: string): string {
  return readFileSync(path, "utf8").replaceAll(/\r\n?/g, "\n")
}
