export { balanced } from "../guard/balanced.ts"
export { describeMisfit, type Misfit, misfitsOf, namesOf, newMisfits } from "./misfits.ts"
export { isSameName, quoteName, tablesOf } from "./schema.ts"
export type { SchemaObject } from "./scratch-database.ts"
