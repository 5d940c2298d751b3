// Judging needs a parser and SQLite: who only reads files or asks a database takes one of the other entries.
export { applyMigrations, type BeforeSending, refusePending } from "./apply/apply.ts"
export { planBaseline, writeBaseline } from "./baseline/baseline.ts"
export { judgeAfter, type JudgedFile, judgeEach, judgeOn } from "./judgement/judgement.ts"
export {
  describeMigrations,
  type MigrationsStatus,
  readMigrationsStatus,
} from "./ledger/database-status.ts"
export { lintFiles, listFiles } from "./lint/lint-files.ts"
export { formatReports } from "./lint/report-formats.ts"
export { rehearsalText, type Told } from "./rehearsal/rehearsal-text.ts"
export { type Rehearsal, rehearse } from "./rehearsal/rehearsal.ts"
export { problemsOf } from "./rehearsal/rehearsal-text.ts"
export { fixFile } from "./safe-rebuild/fix-file.ts"
