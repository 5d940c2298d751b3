import { parseMigration } from "../../files/migration-files.ts"
import { guardTable } from "../../guard/testing/guard-table.ts"
import { openScratchDatabase } from "../../schema/scratch-database.ts"
import { findObjections } from "../../testing/find-objections.ts"
import { lintScript } from "../lint.ts"
import { atlasChecks } from "./atlas-checks.ts"
import { readCorpus } from "./corpus.ts"
import { hazards, hazardSchema } from "./corpus/hazards.ts"
import { type DrizzleKitVerdict, readDrizzleKitRecording } from "./drizzle-kit.ts"
import { ruleTexts } from "./rule-texts.ts"

const introduction = `# What the lint of migrations finds

\`d1-migrations lint FILE…\` says what SQL migrations would lose on D1. A test compares this page with \`lint/\`, from which \`lint/testing/write-page.ts\` writes it.

Each file runs in an SQLite in memory, with D1's limits and refusals, on the schema that the earlier files leave, statement by statement. Every table has rows in it, in which each value can be recognised afterwards: ordinary ones, NULL, empty, repeated, equal but for case, large numbers, several children of one row, and rows on both sides of every comparison that the file makes. What counts is where each value is at the end. So words do not decide: not how a copy is written, nor whether a filter stands in a WHERE, a view, a constraint or a trigger.

Made-up rows explain, and excuse nothing: when a file is applied, its request compares each value of the real ones. Where functions, views, triggers, conflicts, joins, types or conditions of several parts decide, lint says no more than that made-up rows have lost nothing (\`tried\`).

An error exits with 1: what would be lost or changed undeclared, what fails, and what could not be judged. \`apply\` lets go what a database does not hold: a table without rows, a column without values, what earlier files of the same run have made and filled. A warning wants a look, and every change of values that needs no declaration is one. Where the earlier files, or one of them, are missing or fail, whatever takes rows or values is an error, because nothing is called safe that was not tried.

Declarations stand in the file, or in a file of notes beside it (\`0003_name.md\` for \`0003_name.sql\`), since an applied file never changes. A finding that loses nothing is accepted in a comment above its statement: \`-- d1:accept RULE: REASON\`, or in the notes with its line: \`-- d1:accept RULE, line 3: REASON\`. What a file loses is declared, which \`apply\` reads, too; of what is accepted that reads \`cascade-parent\` alone, above a statement on which no made-up row runs.
`

const classes = aligned(
  ["What a file does", "Class", "To be declared"],
  [
    [
      "keeps each value where it was, or what goes in words whole in a row that can be joined",
      "keeps",
      "nothing",
    ],
    ["trims, writes in lower case, fills NULL", "tidies", "nothing; it is said"],
    [
      "gives literals to rows that it names by their keys, in literals",
      "tidies",
      "nothing; it is said",
    ],
    [
      "takes or changes rows that are still as an earlier file wrote them",
      "tidies",
      "nothing; it is said",
    ],
    [
      "makes other values of a column's own, neither NULL nor one for all",
      "changes",
      "`-- d1:changes TABLE.COLUMN: …`",
    ],
    ["takes rows", "loses", "`-- d1:loses TABLE, at most N rows: …`"],
    [
      "adds rows again that are there, but for their keys",
      "loses",
      "`-- d1:repeats TABLE, at most N rows: …`",
    ],
    ["takes or mixes values, drops a column with values", "loses", "`-- d1:loses TABLE.COLUMN: …`"],
    [
      "drops a column whose values an earlier file has copied, or gives names to each other's columns or tables",
      "loses",
      "`-- d1:moves TABLE.COLUMN to TABLE.COLUMN: …`, `-- d1:moves TABLE to TABLE: …`; the request compares them there, row by row where a foreign key leads to the row",
    ],
    ["empties references", "loses", "`-- d1:empties TABLE.COLUMN, at most N rows: …`"],
    [
      "forgets an index, unique key, check, reference, default, collation or AUTOINCREMENT, or sets its numbers back; a trigger or view goes",
      "loses",
      "`-- d1:loses index NAME: …`",
    ],
  ],
)

const guarded = `## What the guard does

In the request that carries a file. A test takes the code of each row away, and sees what then goes wrong.
`

const atlas = `## Beside Atlas

What the analyzers of Atlas that know SQLite find (https://atlasgo.io/lint/analyzers), and what finds it here. Atlas compares the schemas before and after, and does not know which rows go along with a dropped table, what a copy leaves behind, or what D1 refuses. Not run here: this is read from its documentation.
`

const recording = readDrizzleKitRecording()

const table = `## Hazards and shapes

Each of these is run on D1 with rows in every table by \`refusal.test.ts\` and \`corpus.test.ts\`, in one request, as wrangler sends a file: where D1 takes it, wrangler reports success, and "loses rows" is what it does without a word. drizzle-kit ${recording.versions["drizzle-kit"]} \`migrate\` (driver \`d1-http\`, drizzle-orm ${recording.versions["drizzle-orm"]}) sends each statement as a request of its own. It was run on every file, with its breakpoint after each statement: "stops half-way" is exit code 1, no message, no row in its ledger, and whatever came before the failing statement done. "Guard" is what \`d1-migrations apply\` refuses before a file is sent; what only the rows can tell, the guard in the request itself refuses.
`

const outcomes = { keeps: "keeps every row", loses: "loses rows", fails: "fails" }

const drizzleKitOutcomes: Record<DrizzleKitVerdict, string> = {
  ...outcomes,
  stops: "stops half-way",
  "stops and loses": "stops half-way, rows missing",
}

/** `rules.md`, its tables aligned as the formatter would. @param guard "refuses" or "passes", for a file */
export function lintPage(guard = judgedByGuard): string {
  const rules = Object.entries(ruleTexts)
  const names = rules.map(([name, { finds }]) => [`\`${name}\``, finds])
  const details = rules.map(
    ([name, { why, example }]) =>
      `## ${name}\n\n${why}\n\n\`\`\`sql\n${example.sql}\n\`\`\`\n\nInstead:\n\n\`\`\`sql\n${example.instead}\n\`\`\`\n`,
  )
  return [
    introduction,
    `${classes}\n`,
    `${aligned(["Rule", "Finds"], names)}\n`,
    ...details,
    `${guarded}\n${aligned(
      ["It", "What"],
      guardTable.map(({ does, what }) => [does, what]),
    )}\n`,
    `${atlas}\n${aligned(["Atlas", "Finds", "Here"], atlasChecks)}\n`,
    `${table}\n${aligned(["File", "wrangler", "drizzle-kit", "Guard", "Lint"], outcomesOfAll(guard))}\n`,
  ]
    .join("\n")
    .replace(/\n\n$/, "\n")
}

function outcomesOfAll(guard: typeof judgedByGuard): string[][] {
  const shapes = [
    ...hazards.map(({ title, given = "", sql, onD1 }) => {
      const before = hazardSchema + given
      const { findings } = lintScript({ sql, earlier: [before] })
      const said = new Set(findings.map(({ level, rule }) => `${level} ${rule}`))
      return { title, before, change: sql, onD1, lint: [...said].toSorted() }
    }),
    // What the lint says of these, `corpus.test.ts` compares.
    ...readCorpus(),
  ]
  return shapes.map(({ title, before, change, onD1, lint }) => {
    const verdict = recording.verdicts[title]
    const drizzleKit = verdict === undefined ? "not recorded" : drizzleKitOutcomes[verdict]
    const said = lint.join(", ") || "passes"
    return [title, outcomes[onD1], drizzleKit, guard(before, change), said]
  })
}

function judgedByGuard(before: string, change: string): string {
  using scratch = openScratchDatabase()
  scratch.exec(before)
  const file = parseMigration("0001_change.sql", Buffer.from(change))
  return findObjections(scratch, [file]).length > 0 ? "refuses" : "passes"
}

function aligned(columns: string[], rows: string[][]): string {
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...rows.map((row) => row[index]?.length ?? 0)),
  )
  const line = (cells: string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(" | ")} |`
  return [columns, widths.map((width) => "-".repeat(width)), ...rows].map(line).join("\n")
}
