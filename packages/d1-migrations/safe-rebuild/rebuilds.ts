import type { ParsedStatement } from "../analysis/parsed-script.ts"
import { isSameName } from "../schema/schema.ts"

/** The four statements in which drizzle-kit and Prisma give a table another form. */
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
    const before = statements.filter(({ number }) => number < rename.number)
    const create = before.find(
      (parsedStatement) =>
        parsedStatement.node?.type === "CreateTableStmt" &&
        isSameName(parsedStatement.node.tblName.objName.text, temporary),
    )
    const copies = before.filter(
      (parsedStatement) =>
        parsedStatement.node?.type === "InsertStmt" &&
        isSameName(parsedStatement.node.tblName.objName.text, temporary),
    )
    const drop = before.find(
      (parsedStatement) =>
        parsedStatement.node?.type === "DropTableStmt" &&
        isSameName(parsedStatement.node.tblName.objName.text, table),
    )
    const [copy] = copies
    if (create === undefined || copy === undefined || drop === undefined) return []
    const inOrder = create.number < copy.number && copy.number < drop.number
    return inOrder && copies.length === 1 ? [{ table, temporary, create, copy, drop, rename }] : []
  })
}
