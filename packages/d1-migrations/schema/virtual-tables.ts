import { folded } from "../sql/folded.ts"
import { quoteName } from "./schema.ts"
import { contentOf, holdsRows, type SchemaObject, scratchDatabaseOf } from "./scratch-database.ts"

/** A table of a module, such as FTS5 for full text. */
export type VirtualTable = {
  name: string
  sql: string
  /** Its visible columns. */
  columns: string[]
  /**
   * `rows`: its own rows, which can be read. `words`: an index of texts that are stored nowhere.
   * `none`: it is made of what another table holds.
   */
  keeps: "rows" | "words" | "none"
  /** Ordinary tables that SQLite stores its content in. */
  own: string[]
}

/** @throws Error naming a table that SQLite does not take */
export function virtualTablesOf(objects: SchemaObject[]): VirtualTable[] {
  using scratch = scratchDatabaseOf(objects)
  const shadowTables = scratch.texts(
    "SELECT name FROM temp.pragma_table_list WHERE type = 'shadow'",
  )
  return objects.flatMap(({ name, sql }): VirtualTable[] => {
    if (!/^CREATE\s+VIRTUAL/i.test(sql)) return []
    const visible = "SELECT name FROM temp.pragma_table_xinfo(?) WHERE hidden = 0"
    const columns = scratch.texts(visible, name)
    const ownShadows = shadowTables.filter((shadowName) =>
      folded(shadowName).startsWith(`${folded(name)}_`),
    )
    const keeps = !holdsRows(sql) ? "none" : contentOf(sql) === "" ? "words" : "rows"
    return [{ name, sql, columns, keeps, own: ownShadows }]
  })
}

/** The statement that rebuilds a full-text table from its content table; undefined without one. */
export function rebuilding({ name, sql, keeps }: VirtualTable): string | undefined {
  if (keeps !== "none" || contentOf(sql) === undefined) return undefined
  return `INSERT INTO ${quoteName(name)} (${quoteName(name)}) VALUES('rebuild');`
}
