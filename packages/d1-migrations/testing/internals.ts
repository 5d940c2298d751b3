// For tests of the whole repository.
export { createTables } from "../ledger/ledger.ts"
export { isRefused, lintScript } from "../lint/lint.ts"
export {
  type DrizzleKitRecording,
  drizzleKitRecording,
  type DrizzleKitVerdict,
  readDrizzleKitRecording,
} from "../lint/testing/drizzle-kit.ts"
export { type TriedShape, triedShapes } from "../lint/testing/tried-shapes.ts"
export { advance, runFile } from "../analysis/run.ts"
export { keepChildRows } from "../safe-rebuild/safe-rebuild.ts"
export { readSchema } from "../schema/schema.ts"
export { openScratchDatabase, type ScratchDatabase } from "../schema/scratch-database.ts"
