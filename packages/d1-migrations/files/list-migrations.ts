import { globSync } from "node:fs"

/** Where migrations lie. */
export type Folder = {
  directory: string
  /** Of paths in it; without one either form of `forms`. */
  pattern?: string | undefined
}

/** Wrangler and drizzle-kit write files, drizzle-kit since 1.0 a folder for each migration. */
const forms = ["*.sql", "*/migration.sql"]

/**
 * Lists what wrangler would apply, in its order, by the names in its ledger. These are paths in the folder:
 * `0001_user.sql`, or with a `migrations_pattern` `20260101120000_user/migration.sql`.
 */
export function listMigrations({ directory, pattern }: Folder): string[] {
  const patterns = pattern === undefined ? forms : [pattern]
  const matches = patterns.map((glob) => globSync(glob, { cwd: directory }).filter(isMigration))
  const names = matches.find(({ length }) => length > 0) ?? []
  return names.map((name) => name.replaceAll("\\", "/")).toSorted(compareNames)
}

/** Where was looked, and what else can be named, for a message. */
export function describeFolder({ directory, pattern }: Folder): string {
  const looked = pattern ?? forms.join(" or ")
  return `${directory}: no file is called ${looked} there. Name the folder with --dir, the files themselves, or in wrangler's settings migrations_dir and, for other names, migrations_pattern ("migrations/*/up.sql").`
}

/** A file that undoes a migration is not a migration, and wrangler ignores hidden files. */
function isMigration(name: string): boolean {
  return !name.endsWith(".down.sql") && !/(?:^|[/\\])\./.test(name)
}

/** Orders by the number at the start of each part, then as text; a part without a number comes last. */
export function compareNames(a: string, b: string): number {
  const otherParts = b.split("/")
  for (const [index, part] of a.split("/").entries()) {
    const twin = otherParts[index] ?? ""
    // The difference of two that have no number is NaN.
    const order = numberOf(part) - numberOf(twin) || Number(part > twin) - Number(part < twin)
    if (order !== 0) return order
  }
  return 0
}

export function numberOf(name: string): number {
  return Number(/^\d+/.exec(name)?.[0] ?? Infinity)
}
