import type { Loss } from "../provenance/losses.ts"
import { findTable, isSameName, type Table } from "../schema/schema.ts"
import { folded } from "../sql/folded.ts"
import type { EarlierFile } from "./earlier-schema.ts"
import { parseScript } from "./parsed-script.ts"

/**
 * What to know of a loss in a column that an earlier file adds, and fills with nothing: lint tries it with
 * values, which a database that gets both files at once does not have.
 */
export function adviceOnAdded(
  { table, column }: Loss,
  before: Table[],
  earlier: EarlierFile[],
): string {
  const found = findTable(before, table)?.columns.find(({ name }) => name === column)
  if (column === undefined || found?.hasDefault !== false) return ""
  const adds = ({ sql }: { sql: string }) =>
    folded(sql).includes(folded(column)) &&
    parseScript(sql).some(
      ({ node }) =>
        node?.type === "AlterTableStmt" &&
        node.body.type === "AddColumnAlterTableBody" &&
        isSameName(node.tblName.objName.text, table) &&
        isSameName(node.body.column.colName.text, column),
    )
  const file = earlier.flatMap((one) => (typeof one === "string" ? [] : one)).findLast(adds)
  if (file === undefined) return ""
  return `Nothing has to be done if ${column} has no values by then, as ${file.name} adds it without any: \`apply\` looks. Else: `
}
