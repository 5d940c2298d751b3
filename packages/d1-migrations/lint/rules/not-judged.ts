import type { Found, Rule } from "../rule.ts"

export const notJudged: Rule = {
  name: "not-judged",
  find: ({ unknown, steps, own }) =>
    unknown.flatMap(({ statement, table, reason, at }): Found[] => {
      const step = steps.find(({ number }) => number === statement)
      if (step === undefined) return []
      const message = `what becomes of the rows of ${table} could not be judged: ${reason}`
      const rewrite = `Say in words which rows are meant, or declare it: -- ${own.declarations}:loses ${table}, at most N rows: REASON`
      return [{ step, at, level: "error", message, rewrite, unjudged: table }]
    }),
}
