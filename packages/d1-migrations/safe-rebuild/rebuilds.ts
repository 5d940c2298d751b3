import type { Stmt } from "sqlite3-parser"

import { type ParsedStatement, tableIn } from "../analysis/parsed-script.ts"
import { isSameName } from "../schema/schema.ts"

/** The four statements by which drizzle-kit and Prisma rebuild a table. */
export type Rebuild = {
  table: string
  temporary: string
  create: ParsedStatement
  copy: ParsedStatement
  drop: ParsedStatement
  rename: ParsedStatement
}

export function findRebuilds(statements: ParsedStatement[]): Rebuild[] {
  return statements.flatMap((rename): Rebuild[] => {
    const { node } = rename
    if (node?.type !== "AlterTableStmt" || node.body.type !== "RenameToAlterTableBody") return []
    const temporary = node.tblName.objName.text
    const table = node.body.name.text
    const before = (type: Stmt["type"], name: string) =>
      statements.filter(
        (statement) =>
          statement.number < rename.number &&
          statement.node?.type === type &&
          isSameName(tableIn(statement.node)?.text ?? "", name),
      )
    const [create] = before("CreateTableStmt", temporary)
    const copies = before("InsertStmt", temporary)
    const [drop] = before("DropTableStmt", table)
    const [copy] = copies
    if (create === undefined || copy === undefined || drop === undefined) return []
    const inOrder = create.number < copy.number && copy.number < drop.number
    return inOrder && copies.length === 1 ? [{ table, temporary, create, copy, drop, rename }] : []
  })
}
