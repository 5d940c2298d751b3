export { findPending, HistoryMismatch } from "../ledger/migration-status.ts"
export { type Names, usualNames } from "../names.ts"
export { literal } from "../sql/literal.ts"
export { splitStatements } from "../sql/statements.ts"
export {
  type Migration,
  type MigrationFile,
  nameProblem,
  notesName,
  parseMigration,
  readMigrations,
} from "./migration-files.ts"
