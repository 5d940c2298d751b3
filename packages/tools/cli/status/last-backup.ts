import { listBackups } from "../database/backup/stored-backup.ts"
import type { Found } from "./finding.ts"

const day = 86_400_000

/** Days without a backup, each night's, from which somebody is told. */
const tooOld = 2

/** The last backup in the bucket of ACCOUNTS_BACKUPS. */
export async function lastBackup(
  { stack, databaseId }: { stack: string; databaseId?: string | undefined },
  location = process.env["ACCOUNTS_BACKUPS"],
): Promise<Found> {
  if (!location) return { state: "skipped", found: "ACCOUNTS_BACKUPS names no bucket" }
  const [last] = await listBackups(location, { stack, databaseId })
  const next = `./accounts database backup -s ${stack} --to "$ACCOUNTS_BACKUPS"`
  if (last === undefined) return { state: "wrong", found: "there is none of its database", next }
  const days = last.age / day
  const found = `the last is of ${last.at}, ${days.toFixed(1)} days ago`
  return days > tooOld ? { state: "wrong", found, next } : { state: "ok", found }
}
