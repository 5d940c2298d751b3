import type { Migration } from "../files/migration-files.ts"
import { judgeFiles } from "../judgement/judgement.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"

/** Why pending files must not run, of all that can be judged without applying one. */
export function findObjections(database: ScratchDatabase, pending: Migration[]): string[] {
  return judgeFiles(database, pending).flatMap(({ objections }) => objections)
}
