export { boundD1 } from "./binding.ts"
export { type Api, createApi } from "./cloudflare-api.ts"
export type { Cost, D1 } from "./d1.ts"
export { sqliteD1 } from "./sqlite.ts"
export {
  attentionFor,
  compareMigrations,
  type MigrationState,
  type MigrationStatus,
} from "../ledger/migration-status.ts"
export type { RecordedMigrations } from "../ledger/recorded-migrations.ts"
export { cloudflareD1, restoreCommand } from "./cloudflare.ts"
export { type Database, type Ledger, openDatabase } from "./database.ts"
