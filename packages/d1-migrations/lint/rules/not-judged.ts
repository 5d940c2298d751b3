import { ofReferences } from "../../provenance/run.ts"
import type { Found, Rule } from "../rule.ts"
import type { Trial } from "../trial.ts"
import { isOfParents } from "./losses.ts"

export const notJudged: Rule = {
  name: "not-judged",
  find: (trial) => [...findUnknown(trial), ...findUntried(trial)],
}

function findUnknown({ unknown, steps, own }: Trial): Found[] {
  return unknown.flatMap(({ statement, table, reason, at }): Found[] => {
    const step = steps.find(({ number }) => number === statement)
    if (step === undefined) return []
    const message = `what becomes of the rows of ${table} could not be judged: ${reason}`
    const rewrite = `Say in words which rows are meant, or declare it: -- ${own.declarations}:loses ${table}, at most N rows: REASON`
    return [{ step, at, level: "error", message, rewrite, unjudged: table }]
  })
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
  if (blocked.message !== ofReferences && !isOfRules(blocked.message)) return []
  const message = `no row could be made up on which it runs, so it is not known what it does to real ones: ${blocked.message}`
  const rewrite = `Look whether the rows of the database keep that rule. Applied, the file fails whole, or every value is compared. Accept that above the statement: -- ${own.declarations}:accept not-judged: REASON`
  return [{ step, level: "error", message, rewrite }]
}
