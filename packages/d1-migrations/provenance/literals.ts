import { type AstNode, traverse } from "sqlite3-parser"

/** Values that a script compares a column with. */
export type Hinted = {
  texts: Set<string>
  numbers: Set<number>
  /** As SQL. */
  blobs: Set<string>
  /** Paths in JSON. */
  members: Set<string>
}

export function nothingFound(): Hinted {
  return { texts: new Set(), numbers: new Set(), blobs: new Set(), members: new Set() }
}

/** Every literal of a script, as `textOf` writes values. */
export function literalsOf(parts: (AstNode | undefined)[]): Set<string> {
  const found = new Set<string>()
  for (const part of parts) {
    if (part === undefined) continue
    traverse(part, {
      nodes: {
        StringLiteral({ value }) {
          found.add(`string ${value}`)
        },
        NumericLiteral({ value }) {
          const number = Number(value)
          const kind = /^\d+$/.test(value) ? "bigint" : "number"
          found.add(`${kind} ${number}`).add(`${kind} -${number}`)
        },
      },
    })
  }
  return found
}

export function literalsIn(parts: (AstNode | undefined)[]): Hinted {
  const found = nothingFound()
  for (const text of literalsOf(parts)) {
    const [kind, value] = [text.slice(0, text.indexOf(" ")), text.slice(text.indexOf(" ") + 1)]
    if (kind === "string") found.texts.add(value)
    else found.numbers.add(Number(value))
  }
  return found
}

/** A pattern itself, and texts that LIKE or GLOB find by it. */
export function matching(pattern: string): string[] {
  const filled = pattern.replaceAll("%", "some").replaceAll("*", "some")
  return [pattern, filled.replaceAll(/[_?]/g, "x"), pattern.replaceAll(/[%*]/g, "")]
}
