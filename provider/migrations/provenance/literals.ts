import { isNode, partsOf } from "./syntax.ts"

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
export function literalsOf(statements: unknown[]): Set<string> {
  const found = new Set<string>()
  const look = (part: unknown): void => {
    if (Array.isArray(part)) for (const one of part) look(one)
    if (!isNode(part)) return
    const { type, value } = part
    if (type === "StringLiteral") found.add(`string ${String(value)}`)
    if (type === "NumericLiteral") {
      const number = Number(value)
      const kind = /^\d+$/.test(String(value)) ? "bigint" : "number"
      found.add(`${kind} ${number}`).add(`${kind} -${number}`)
    }
    for (const one of partsOf(part)) look(one)
  }
  for (const statement of statements) look(statement)
  return found
}

export function literalsIn(part: unknown): Hinted {
  const found = nothingFound()
  for (const text of literalsOf([part])) {
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
