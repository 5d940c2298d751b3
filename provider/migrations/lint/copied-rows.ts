import type { InsertStmt, Select, SelectFrom, SelectTable } from "sqlite3-parser"

import type { Step } from "./trial.ts"

/** A statement that fills a table from another one. */
export type CopiedRows = {
  step: Step
  source: string
  target: string
  select: SelectFrom
  /** The whole of it, with what sorts, limits and joins it to others. */
  whole: Select
  insert: InsertStmt | undefined
}

export function copiedRowsOf(step: Step): CopiedRows | undefined {
  const { node } = step
  if (node?.type === "InsertStmt" && node.body.type === "SelectInsertBody") {
    return copied({
      step,
      whole: node.body.select,
      target: node.tblName.objName.text,
      insert: node,
    })
  }
  if (node?.type !== "CreateTableStmt" || node.body.type !== "AsSelectCreateTableBody") {
    return undefined
  }
  const whole = node.body.select
  return copied({ step, whole, target: node.tblName.objName.text, insert: undefined })
}

type Copying = Pick<CopiedRows, "step" | "whole" | "target" | "insert">

function copied(copying: Copying): CopiedRows | undefined {
  const { select } = copying.whole
  if (select.type !== "SelectFrom") return undefined
  const source = tableOf(select.from?.select)
  return source === undefined ? undefined : { ...copying, source, select }
}

function tableOf(table: SelectTable | undefined): string | undefined {
  if (table?.type === "TableSelectTable") return table.tblName.objName.text
  if (table?.type !== "SelectSelectTable") return undefined
  const { select } = table.select
  return select.type === "SelectFrom" ? tableOf(select.from?.select) : undefined
}
