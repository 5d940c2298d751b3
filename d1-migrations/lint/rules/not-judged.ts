import type { Found, Rule } from "../rule.ts"

export const notJudged: Rule = {
  name: "not-judged",
  finds: "what made-up rows cannot show: chance, and conditions that none of them meets",
  why: "What was not seen is not called safe. A condition with a function may hold for real rows and for none that can be made up, and random() decides anew each time. The same goes for a table whose rules no made-up row keeps.",
  example: {
    schema: "CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT);",
    sql: "DELETE FROM note WHERE hex(text) LIKE 'C3A4%';",
    instead: "UPDATE note SET text = '' WHERE text IS NULL;",
  },
  find: ({ unknown, steps, own }) =>
    unknown.flatMap(({ statement, table, reason, at }): Found[] => {
      const step = steps.find(({ number }) => number === statement)
      if (step === undefined) return []
      const message = `what becomes of the rows of ${table} could not be judged: ${reason}`
      const rewrite = `Say in words which rows are meant, or declare it: -- ${own.declarations}:loses ${table}, at most N rows: REASON`
      return [{ step, at, level: "error", message, rewrite, unjudged: table }]
    }),
}
