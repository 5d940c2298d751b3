import type { Classification } from "../classification/classification.ts"
import type { Declaration } from "../declarations.ts"
import type { Migration } from "../migration-files.ts"
import { isSameName } from "../rehearsal/schema.ts"
import { placeOf } from "../statement-place.ts"

type Judged = { file: Migration; classification: Classification; declarations: Declaration[] }

/** What a file takes without a declaration, and what it declares without taking it. */
export function findUndeclared({ file, classification, declarations }: Judged): string[] {
  const { loses, lostObjects, touched } = classification
  const undeclared = loses
    .filter(({ table }) => !isDeclared(declarations, table))
    .map(({ table, rows, statement }) => {
      const bound = rows === "all" ? "all rows" : "at most N rows"
      return `${placeOf(file, statement)} takes rows of ${table} for good. If it shall, say so in the file: -- accounts:loses ${table}, ${bound}: <reason>`
    })
  const forgotten = lostObjects.map(({ type, name, table }) => {
    const word = type === "trigger" ? "TRIGGER" : "INDEX"
    return `${file.name} rebuilds ${table} without its ${type} ${name}. Create it again, or say so before the table is dropped: DROP ${word} ${name};`
  })
  const idle = declarations
    .filter(({ table }) => !touched.some((name) => isSameName(name, table)))
    .map(
      ({ line, does, table }) =>
        `${file.name}, line ${line} declares that it ${does} ${table}, which it does not touch: remove the line, or correct the name`,
    )
  return [...undeclared, ...forgotten, ...idle]
}

function isDeclared(declarations: Declaration[], table: string): boolean {
  return declarations.some((one) => one.does === "loses" && isSameName(one.table, table))
}
