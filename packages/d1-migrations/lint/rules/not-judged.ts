import { type Expr, traverse } from "sqlite3-parser"

import { isOwnTable } from "../../names.ts"
import { conditionsIn } from "../../provenance/conditions.ts"
import type { Step, Trial } from "../../provenance/trial.ts"
import { findTable, isSameName } from "../../schema/schema.ts"
import { folded } from "../../sql/folded.ts"
import { isPlain } from "../doubts.ts"
import type { Found, Rule } from "../rule.ts"
import { isOfParents } from "./losses.ts"

export const notJudged: Rule = {
  name: "not-judged",
  find: (trial) => [...findUnmet(trial), ...findUntried(trial)],
}

/** What takes rows of which none could be made, or none meets a condition that more than one column decides. */
function findUnmet({ steps, onRows, before, losses, filled, own: names }: Trial): Found[] {
  return steps.flatMap((step, index): Found[] => {
    const { effect, changes = 0 } = onRows[index] ?? {}
    if (effect === undefined) return []
    const written =
      effect.writes === undefined || effect.writes.by === "insert" ? [] : [effect.writes.table]
    const taken = [...effect.drops, ...written, ...effect.follows, ...effect.byTriggers]
    const unmade = taken.find((name) => !filled.has(folded(name)))
    const own = findTable(before, written[0] ?? "")
    // Rows whose parent is missing are in no database.
    const seeksParent = own?.foreignKeys.some(({ parent }) => effect.names.includes(parent))
    const isUnmet = changes === 0 && seeksParent === false && !isPlain(step) && !isNever(step)
    const limited = isLimited(step)
      ? effect.names.find((name) => findTable(before, name))
      : undefined
    const unmet = isUnmet ? own?.name : limited
    const table = findTable(before, unmade ?? unmet ?? "")?.name
    const isSaid = losses.some((one) => isSameName(one.table, table ?? "") && one.kind !== "part")
    if (table === undefined || isSaid || isOwnTable(table, names)) return []
    const reason =
      unmade === undefined
        ? "no made-up row meets its condition, or there were fewer than its LIMIT"
        : `no row that ${table} takes could be made up for a trial`
    const message = `what becomes of the rows of ${table} could not be judged: ${reason}`
    const rewrite = `Say in words which rows are meant, or declare it: -- ${names.declarations}:loses ${table}, at most N rows: REASON`
    return [{ step, level: "error", message, rewrite, unjudged: table }]
  })
}

/** Whether a zero among the parts of its condition keeps all rows out. */
function isNever({ node }: Step): boolean {
  let isZero = false
  if (node === undefined) return false
  traverse(node, {
    nodes: {
      BinaryExpr({ op, left, right }) {
        const isLiteral = (one: Expr) => one.type === "NumericLiteral" && Number(one.value) === 0
        isZero ||= op === "And" && [left, right].some(isLiteral)
      },
    },
  })
  return isZero
}

/** Whether it copies no more than so many rows. */
function isLimited({ node }: Step): boolean {
  const isCopy = node?.type === "InsertStmt" || node?.type === "CreateTableStmt"
  return isCopy && conditionsIn(node).isLimited
}

/** Where a rule of the rows decides, real ones may keep it though no made-up one does. */
export function isOfRules(message: string): boolean {
  return !/^NOT NULL|^UNIQUE|^Cannot add/.test(message)
}

/** Of what no row could be made for: `apply` sends it, and compares each value in the request. */
function findUntried(trial: Trial): Found[] {
  const { steps, blocked, onNothing, own } = trial
  const step = steps.find(({ number }) => number === blocked?.statement)
  if (step === undefined || blocked === undefined) return []
  if (onNothing.some(({ failure }) => failure !== undefined) || isOfParents(trial)) return []
  if (!isOfRules(blocked.message)) return []
  const message = `no row could be made up on which it runs, so it is not known what it does to real ones: ${blocked.message}`
  const rewrite = `Look whether the rows of the database keep that rule. Applied, the file fails whole, or every value is compared. Accept that above the statement: -- ${own.declarations}:accept not-judged: REASON`
  return [{ step, level: "error", message, rewrite }]
}
