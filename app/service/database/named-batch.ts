import type { BatchItem } from "drizzle-orm/batch"

import type { Database } from "./database.ts"

type Statement = BatchItem<"sqlite">
type Statements = Record<string, Statement | undefined>
type ResultOf<Given> = Given extends Statement ? Given["_"]["result"] : undefined

/** Sends named statements as one batch, and returns each result under its statement's name. */
export function sendNamed<Named extends Statements>(
  database: Database,
  statements: Named,
): Promise<{ [Name in keyof Named]: ResultOf<Named[Name]> }>
export async function sendNamed(database: Database, statements: Statements) {
  const given = Object.entries(statements).flatMap(([name, one]) =>
    one === undefined ? [] : [{ name, one }],
  )
  const [first, ...rest] = given.map(({ one }) => one)
  if (first === undefined) throw new Error("nothing to send")
  const results: unknown[] = await database.batch([first, ...rest])
  return Object.fromEntries(given.map(({ name }, index) => [name, results[index]]))
}
