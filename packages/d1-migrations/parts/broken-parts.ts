import { firingStatements } from "../schema/firing-statements.ts"
import { quoteName, readDefinitions } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import type { Part } from "./parts.ts"

/** Views and triggers that no longer compile: the next statement that needs one fails. */
export function brokenParts(database: ScratchDatabase): Part[] {
  const objects = readDefinitions(database)
  const triggered = new Set(objects.flatMap(({ type, table }) => (type === "trigger" ? table : [])))
  const part = (kind: Part["kind"], name: string, table: string, definition: string): Part => {
    return { kind, name, table, columns: [], definition }
  }
  const views = objects
    .filter(({ type }) => type === "view")
    .flatMap(({ name }) => {
      const reason = database.problemOf(`SELECT * FROM ${quoteName(name)}`)
      return reason === undefined ? [] : [part("view", name, name, reason)]
    })
  const triggers = [...triggered].flatMap((table) => {
    const isTable = objects.some(({ type, name }) => type === "table" && name === table)
    const tries = isTable ? firingStatements(database, table) : []
    const reason = tries.map((sql) => database.problemOf(sql)).find((one) => one !== undefined)
    const own = objects.find((one) => one.type === "trigger" && one.table === table)?.name ?? table
    return reason === undefined ? [] : [part("trigger", own, table, reason)]
  })
  return [...views, ...triggers]
}
