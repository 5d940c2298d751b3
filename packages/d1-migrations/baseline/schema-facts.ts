import { readDefinitions } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import { folded } from "../sql/folded.ts"
import { definitionsIn, sqlWords } from "../sql/words.ts"

/** The parts of a schema by their names. */
export type SchemaFacts = Map<string, string>

/** Tables of other tools' records of migrations: wrangler, drizzle-kit, NuxtHub, Alchemy. */
const ledgers = new Set([
  "d1_migrations",
  "__drizzle_migrations",
  "_hub_migrations",
  "__alchemy_migrations",
])

/** Reads each definition by its words: blanks, comments, quotes, case and the order of columns do not count. */
export function readFacts(database: ScratchDatabase): SchemaFacts {
  const facts: SchemaFacts = new Map()
  for (const { type, name, sql } of readDefinitions(database)) {
    const words = sqlWords(sql).filter((word) => word !== ";")
    const label = `${type} ${folded(name)}`
    if (ledgers.has(name)) continue
    if (type !== "table" || words[1] !== "table") {
      facts.set(label, words.join(" ").replace(/ if not exists /, " "))
      continue
    }
    const { definitions, options } = definitionsIn(words)
    facts.set(label, options.join(" "))
    for (const [first = "", ...rest] of definitions) {
      if (/^(?:constraint|primary|unique|check|foreign)$/.test(first)) {
        facts.set(`constraint of ${folded(name)}: ${[first, ...rest].join(" ")}`, "")
      } else facts.set(`column ${folded(name)}.${first}`, constraintsIn(rest))
    }
  }
  return facts
}

/** The type of a column, and its constraints in one order. */
function constraintsIn(words: string[]): string {
  const start =
    /(?<!\bset) (?=(?:constraint|primary|not|unique|check|default|collate|references|generated) )/
  const [type = "", ...constraints] = ` ${words.join(" ")}`.split(start)
  return [type.trim(), ...constraints.toSorted()].join(" ").trim()
}

/** Lists differences for people. */
export function describeFactDifferences(database: SchemaFacts, files: SchemaFacts): string[] {
  const lines: string[] = []
  for (const [fact, value] of database) {
    const expected = files.get(fact)
    if (expected === undefined) lines.push(`only in the database: ${shown(fact, value)}`)
    else if (expected !== value) {
      lines.push(
        `${fact}: ${value || "plain"} in the database, ${expected || "plain"} in the files`,
      )
    }
  }
  for (const [fact, value] of files) {
    if (!database.has(fact)) lines.push(`only in the files: ${shown(fact, value)}`)
  }
  return lines
}

function shown(fact: string, value: string): string {
  const isWhole = /^(?:table|index|view|trigger) /.test(fact)
  return isWhole || value === "" ? fact : `${fact} ${value}`
}
