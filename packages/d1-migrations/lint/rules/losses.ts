import { type AstNode, traverse } from "sqlite3-parser"

import type { Names } from "../../names.ts"
import { exampleOf } from "../../provenance/fates.ts"
import { empty } from "../../provenance/held-tables.ts"
import type { Loss } from "../../provenance/losses.ts"
import { ofReferences } from "../../provenance/run.ts"
import { columnOf, tableIn } from "../../provenance/syntax.ts"
import type { Step, Trial } from "../../provenance/trial.ts"
import { classOf, declarationsFor, describeLoss } from "../../provenance/wording.ts"
import { isSameName } from "../../schema/schema.ts"
import type { Found, Rule } from "../rule.ts"

export const cascadeParent: Rule = {
  name: "cascade-parent",
  find: (trial) => [...found(trial, (loss) => loss.byReference), ...blockedByReferences(trial)],
}

export const lostRows = ofKinds("lost-rows", ["row", "repeat"])
export const lostValues = ofKinds("lost-values", ["value", "link"])
export const changedValues = ofKinds("changed-values", ["change", "tidied"])
export const lostParts = ofKinds("lost-parts", ["part"])

function ofKinds(name: string, kinds: Loss["kind"][]): Rule {
  const is = (loss: Loss) => !loss.byReference && kinds.includes(loss.kind)
  return { name, find: (trial) => found(trial, is) }
}

function found(trial: Trial, is: (loss: Loss) => boolean): Found[] {
  return trial.losses.filter(is).flatMap((loss): Found[] => {
    const step = trial.steps.find(({ number }) => number === loss.statement)
    if (step === undefined) return []
    const level = classOf(loss) === "tidies" ? "warning" : "error"
    const [message, rewrite] = [describeLoss(loss), rewriteOf(loss, trial)]
    return [{ step, at: placeIn(step), level, message, rewrite, loss }]
  })
}

function placeIn({ node }: Step): number {
  return (node === undefined ? undefined : tableIn(node))?.span.offset ?? 0
}

function moveKeys({ command }: Names): string {
  return `Move the keys of the table away before it is dropped, so that no row refers to it: \`${command} fix FILE\` writes that. Rows that shall go are deleted in words first (DELETE FROM).`
}

function rewriteOf(loss: Loss, { own, steps }: Trial): string {
  if (loss.part === undefined && loss.isAlong) return moveKeys(own)
  const lines = declarationsFor(loss).map((one) => `-- ${own.declarations}:${one}: REASON`)
  const [line] = lines
  const declared = line === undefined ? "" : ` If it is meant, say so: ${line}`
  if (classOf(loss) === "tidies") return "Nothing has to be done if that is meant."
  if (loss.kind === "part") {
    if (loss.part.kind === "sequence") return `Keep what the table counts with.${declared}`
    if (loss.broken) return "Create it anew for what the file leaves."
    const isOther = loss.part.now !== undefined
    return `Create it ${isOther ? "as it was" : "again"} after the rebuild.${declared}`
  }
  if (loss.kind === "repeat") return `Insert only what is not there yet.${declared}`
  if (lines.length > 1) {
    return `Copy the rows without ORDER BY, or with their numbers (rowid). Or say in ${lines.length} lines that no row goes, and what changes: ${lines.join(" ")}`
  }
  const isDeleted = steps.some(
    ({ node }) => node?.type === "DeleteStmt" && isSameName(node.tblName.objName.text, loss.table),
  )
  if (loss.kind === "row") {
    const alone = isDeleted ? ", do nothing but DELETE to its table in that file" : ""
    return `Copy every row whole before${alone}, or leave the table.${declared}`
  }
  if (loss.kind === "change") return `Write to a new column, and keep this one.${declared}`
  const isOpen = steps.some(({ node }) => node && hasOpenCase(node, loss.column ?? ""))
  if (exampleOf(loss)[1] === empty && isOpen) {
    return `A CASE without ELSE makes NULL of every other value: end it with ELSE ${loss.column}.${declared}`
  }
  const moved = `-- ${own.declarations}:moves ${loss.table}.${loss.column ?? ""} to TABLE.COLUMN: REASON`
  const isCopied = steps[loss.statement - 1]?.node?.type !== "UpdateStmt"
  const copied = isCopied ? `Name ${loss.column} in both lists of the copy, or keep` : "Keep"
  return `${copied} its values in another column. If they are in one already: ${moved}.${declared}`
}

/** Whether it has a CASE that looks at a column, and names no value for all others. */
function hasOpenCase(node: AstNode, column: string): boolean {
  let isOpen = false
  traverse(node, {
    nodes: {
      CaseExpr(one) {
        if (one.elseExpr !== undefined) return
        traverse(one, {
          enter(part) {
            isOpen ||= isSameName(columnOf(part) ?? "", column)
          },
        })
      },
    },
  })
  return isOpen
}

/** Whether a file fails because of what refers to a table that it drops or rewrites. */
export function isOfParents({ blocked, onNothing, before }: Trial): boolean {
  const { drops = [], writes } = onNothing[(blocked?.statement ?? 0) - 1]?.effect ?? {}
  const name = drops[0] ?? (writes?.by === "insert" ? undefined : writes?.table)
  const isParent = before.some(({ foreignKeys }) =>
    foreignKeys.some(({ parent }) => isSameName(parent, name ?? "")),
  )
  return blocked?.message === ofReferences && isParent
}

function blockedByReferences(trial: Trial): Found[] {
  const { steps, blocked, own } = trial
  const step = steps.find(({ number }) => number === blocked?.statement)
  if (step === undefined || !isOfParents(trial)) return []
  const message = `fails as soon as other rows refer to those of the table: ${ofReferences}`
  return [{ step, at: placeIn(step), level: "error", message, rewrite: moveKeys(own) }]
}
