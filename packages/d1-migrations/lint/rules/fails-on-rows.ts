import type { Trial } from "../../provenance/trial.ts"
import type { Found, Rule } from "../rule.ts"
import { isOfRules } from "./not-judged.ts"

export const failsOnRows: Rule = {
  name: "fails-on-rows",
  find: (trial) => [...findBlocked(trial), ...findTroubles(trial)],
}

function findBlocked({ steps, blocked, onNothing }: Trial): Found[] {
  const step = steps.find(({ number }) => number === blocked?.statement)
  if (step === undefined || blocked === undefined || isOfRules(blocked.message)) return []
  if (onNothing.some(({ failure }) => failure !== undefined)) return []
  const message = `fails as soon as there are rows: ${blocked.message}`
  return [{ step, level: "error", message, rewrite: rewriteOf(blocked.message) }]
}

/** Of each statement the first, with what all of them have in common. */
function findTroubles({ steps, troubles }: Trial): Found[] {
  const byReason = Map.groupBy(troubles, ({ statement, message }) => `${statement} ${message}`)
  return [...byReason.values()].flatMap((same): Found[] => {
    const [first] = same
    const step = steps.find(({ number }) => number === first?.statement)
    if (step === undefined || first === undefined) return []
    const rows = same.slice(0, 3).map(({ features }) => features.join(", "))
    const message = `fails if there is a row such as ${rows.join("; or ")}: ${first.message}`
    return [{ step, level: "warning", message, rewrite: rewriteOf(first.message) }]
  })
}

function rewriteOf(reason: string): string {
  if (/^NOT NULL|Cannot add a NOT NULL/.test(reason)) {
    return "Give it a value for the rows that are there: a constant default, or coalesce(…) in the copy."
  }
  if (reason.startsWith("UNIQUE")) {
    return "Look first: SELECT …, count(*) FROM … GROUP BY … HAVING count(*) > 1. Put repeated values right in a file before this one."
  }
  if (reason === "Cannot add a UNIQUE column") {
    return "Add the column without UNIQUE, and then CREATE UNIQUE INDEX … ON … (…)."
  }
  if (reason.includes("REFERENCES column")) {
    return "Add the column without a default, and fill it in an UPDATE."
  }
  return "Look first whether there are such rows, and put them right in a file before this one."
}
