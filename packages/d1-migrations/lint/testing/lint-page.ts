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

Lint reads what the statements say, and asks SQLite what each of them touches on the schema that the earlier files leave. No row has a part in it: what a file does to rows, the request compares when it is applied, row by row and value by value. So lint says what may go, and prints the line to write for each. What SQLite here cannot run, such as a temporary table, is said, and the files after it are judged all the same.

An error exits with 1: what would be lost or changed undeclared, what fails, as beyond a limit of D1 (100 KB a statement, 100 columns a table or result, 5 SELECTs in one, 50 bytes in a LIKE pattern, 100 levels of an expression), and what could not be judged. \`apply\` lets go what a database does not hold: a table without rows, a column without values, what earlier files of the same run have made and filled. A warning wants a look. A file that only adds \`keeps\` every row; one that copies, fills, renames or does what no words tell is \`compared\`.

Where values are is the name that they have: in the table of the same name (who reads a name reads what has it now), in the table itself under another one, in those to which the file copies its keys, or where the file declares that they are (\`moves\`).

Declarations stand in the file, or in a file of notes beside it (\`0003_name.md\` for \`0003_name.sql\`), since an applied file never changes. What a rule finds without a loss is accepted in a comment of the file or its notes: \`-- d1:accept RULE: REASON\`. What a file loses is declared, which \`apply\` reads, too.
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

In the request that carries a file. A test takes the code of each row away, and sees what then goes wrong.
`

const atlas = `## Beside Atlas

What the analyzers of Atlas that know SQLite find (https://atlasgo.io/lint/analyzers), and what finds it here. Atlas compares the schemas before and after, and does not know which rows go along with a dropped table, what a copy leaves behind, or what D1 refuses. Not run here: this is read from its documentation.
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
    // What the lint says of these, `corpus.test.ts` compares.
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
