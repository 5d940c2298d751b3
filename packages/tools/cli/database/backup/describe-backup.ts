import { paintFor, table } from "../../output.ts"
import type { Backup } from "./backup.ts"

/** For people. */
export function describeBackup({ file, bookmark, tables, written }: Backup): string {
  const paint = paintFor(process.stdout)
  const own = tables.filter(({ name }) => !name.startsWith("sqlite_"))
  const rows = own.map(({ name, rows: count }): [string, string] => [name, String(count)])
  const meanwhile =
    written.length === 0
      ? []
      : [`  written to meanwhile, so compared with the export alone: ${written.join(", ")}`]
  return [
    table(rows),
    ...meanwhile,
    `  at bookmark ${bookmark}`,
    `${paint.green("✓")} ${file} brings back every row: restored into a scratch database and compared.`,
  ].join("\n")
}
