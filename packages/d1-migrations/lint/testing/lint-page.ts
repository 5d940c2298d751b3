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

Lint reads what the statements say, and asks SQLite what each of them touches on the schema that the earlier files leave. It reads no rows: the request compares these when a file is applied, row by row and value by value. So lint lists what a file may take, and prints the line to write for each. It reports a statement that SQLite here cannot run, such as a temporary table, and still judges the files after it.

An error exits with 1: what would be lost or changed undeclared, what fails, as beyond a limit of D1 (100 KB a statement, 100 columns a table or result, 5 SELECTs in one, 50 bytes in a LIKE pattern, 100 levels of an expression), and what could not be judged. \`apply\` lets go what a database does not hold: a table without rows, a column without values, what earlier files of the same run have made and filled. A warning needs a look. A file that only adds \`keeps\` every row; a file that copies, fills or renames is \`compared\`, and so is a file whose statements do not show what it takes.

The rows of a table are looked for in the table that has its name afterwards (queries read by name), in the table itself under another name, in the tables that the file copies its keys to, or where the file declares them (\`moves\`).

Write declarations into the file, or into a file of notes beside it (\`0003_name.md\` for \`0003_name.sql\`), since an applied file never changes. A finding without a loss is accepted in a comment of the file or its notes: \`-- d1:accept RULE: REASON\`. A loss is declared, for \`apply\` as well.
`

const classes = aligned(
  ["What a file does", "To be declared"],
  [
    ["adds, copies whole, fills NULL", "nothing"],
    ["takes or changes rows that are still as an earlier file wrote them", "nothing; it is said"],
    ["takes rows", "`-- d1:loses TABLE, at most N rows: …`, 0 where none is meant to go"],
    ["adds rows again that are there", "`-- d1:repeats TABLE, at most N rows: …`"],
    ["makes other values, neither NULL nor one for all", "`-- d1:changes TABLE.COLUMN: …`"],
    [
      "empties or mixes values, drops a column with values",
      "`-- d1:loses TABLE.COLUMN: …`, `-- d1:loses TABLE.COLUMN, at most N rows: …`",
    ],
    [
      "moves rows to an archive, values to another table or column, or gives names to each other's columns or tables",
      "`-- d1:moves TABLE to TABLE: …`, `-- d1:moves TABLE.COLUMN to TABLE.COLUMN: …`; the request compares them there, row by row where a copy or a foreign key shows the row",
    ],
    ["empties references", "`-- d1:empties TABLE.COLUMN, at most N rows: …`"],
    [
      "forgets an index, unique key, check, reference, default, collation or AUTOINCREMENT, or sets its numbers back; a trigger or view goes",
      "`-- d1:loses index NAME: …`",
    ],
  ],
)

const guarded = `## What the guard does

The guard is part of the request that sends a file. A test removes the code of each row, and expects that an example then goes wrong.
`

const atlas = `## Beside Atlas

The findings of the analyzers of Atlas that know SQLite (https://atlasgo.io/lint/analyzers), with the rule that finds each here. Atlas compares the schemas before and after: it does not know which rows are deleted with a dropped table, what a copy leaves behind, or what D1 refuses. This is read from its documentation; Atlas is not run here.
`

const recording = readDrizzleKitRecording()

const table = `## Hazards and shapes

Each of these is run on D1 with rows in every table by \`hazards.test.ts\` and \`corpus.test.ts\`, in one request, as wrangler sends a file: where D1 takes it, wrangler reports success, and "loses rows" is what it does without a word. drizzle-kit ${recording.versions["drizzle-kit"]} \`migrate\` (driver \`d1-http\`, drizzle-orm ${recording.versions["drizzle-orm"]}) sends each statement as a request of its own. It was run on every file, with its breakpoint after each statement: "stops half-way" is exit code 1, no message, no row in its ledger, and whatever came before the failing statement done. "Guard" is what \`d1-migrations apply\` refuses before a file is sent; what only the rows can tell, the guard in the request itself refuses.
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
      const labels = new Set(findings.map(({ level, rule }) => `${level} ${rule}`))
      return { title, before, change: sql, onD1, lint: [...labels].toSorted() }
    }),
    // `corpus.test.ts` compares their findings with lint's.
    ...readCorpus(),
  ]
  return shapes.map(({ title, before, change, onD1, lint }) => {
    const verdict = recording.verdicts[title]
    const drizzleKit = verdict === undefined ? "not recorded" : drizzleKitOutcomes[verdict]
    const lintText = lint.join(", ") || "passes"
    return [title, outcomes[onD1], drizzleKit, guard(before, change), lintText]
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
