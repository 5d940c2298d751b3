import type { Names } from "../names.ts"
import { commentsOf, type Statement } from "../sql/statements.ts"

/** What an author accepts of lint, in a comment above a statement or in it: `-- d1:accept RULE: REASON`. */
export type Acceptance = {
  line: number
  rule: string
  reason: string
  /** Number of the statement; undefined below the last one. */
  statement: number | undefined
}

/** @throws Error naming the line of a comment that is nearly one */
export function readAcceptances(
  sql: string,
  steps: Statement[],
  { declarations: own }: Names,
): Acceptance[] {
  const begin = `-- ${own}:accept `
  return commentsOf(sql)
    .filter(({ text }) => text.startsWith(begin))
    .map(({ line, text }) => {
      const [, rule = "", reason = ""] = /^([a-z0-9-]+): (.{10,})$/.exec(
        text.slice(begin.length).trimEnd(),
      ) ?? ["", ""]
      if (rule === "") {
        throw new Error(`line ${line}: "${text}" accepts nothing. Write: ${begin}RULE: REASON`)
      }
      const at = steps.findIndex((step) => step.line + step.sql.split("\n").length > line)
      return { line, rule, reason, statement: at < 0 ? undefined : at + 1 }
    })
}
