import type { Rule } from "../rule.ts"

/** What takes rows of tables that are not known here. */
export const notJudged: Rule = { name: "not-judged", find: ({ unseen }) => unseen }
