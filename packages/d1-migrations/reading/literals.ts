import { type AstNode, traverse } from "sqlite3-parser"

import { literal } from "../sql/literal.ts"

/** Every text and number of a script, as SQL. */
export function literalsOf(parts: (AstNode | undefined)[]): Set<string> {
  const found = new Set<string>()
  for (const part of parts) {
    if (part === undefined) continue
    traverse(part, {
      nodes: {
        StringLiteral({ value }) {
          found.add(literal(value))
        },
        NumericLiteral({ value }) {
          found.add(value).add(`-${value}`)
        },
      },
    })
  }
  return found
}
