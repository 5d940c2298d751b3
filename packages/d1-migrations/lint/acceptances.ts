import type { Names } from "../names.ts"
import { commentsOf, type Statement } from "../sql/statements.ts"

/**
 * What an author accepts of lint, in a comment above a statement or in it: `-- d1:accept RULE: REASON`.
 * In notes beside an applied file it says the line: `-- d1:accept RULE, line 3: REASON`.
 */
export type Acceptance = {
  line: number
  rule: string
  reason: string
  /** Number of the statement; undefined below the last one. */
  statement: number | undefined
}

/** @param sql the file, and its notes below. @throws Error naming the line of a comment that is nearly one */
export function readAcceptances(
  sql: string,
  steps: Statement[],
  { declarations: own }: Names,
): Acceptance[] {
  const begin = `-- ${own}:accept `
  return commentsOf(sql)
    .filter(({ text }) => text.startsWith(begin))
    .map(({ line, text }) => {
      const [, rule = "", said, reason = ""] =
        /^([a-z0-9-]+)(?:, line (\d{1,6}))?: (.{10,})$/.exec(text.slice(begin.length).trimEnd()) ??
        []
      if (rule === "") {
        throw new Error(`line ${line}: "${text}" accepts nothing. Write: ${begin}RULE: REASON`)
      }
      const meant = said === undefined ? line : Number(said)
      const at = steps.findIndex((step) => step.line + step.sql.split("\n").length > meant)
      return { line: meant, rule, reason, statement: at < 0 ? undefined : at + 1 }
    })
}
