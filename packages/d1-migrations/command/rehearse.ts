import { readFileSync } from "node:fs"

import { Command, Option } from "commander"
import * as z from "zod"

import { type Database, openDatabase } from "../d1/database.ts"
import { sqliteD1 } from "../d1/sqlite.ts"
import { Failure, messageOf } from "../failure.ts"
import { problemsOf, rehearsalText } from "../rehearsal/rehearsal-text.ts"
import { rehearse } from "../rehearsal/rehearsal.ts"
import { quoteName, tablesOf } from "../schema/schema.ts"
import { openProject, positionOf, readFiles } from "./open-project.ts"
import { print, say } from "./output.ts"
import { projectOptions } from "./project-options.ts"
import { type ProjectFlags, readProject } from "./project.ts"

type Flags = ProjectFlags & { rows?: string; local?: true; json?: true; after?: string }

const help = `
Rows come from a file of INSERT statements, as \`wrangler d1 export\` writes them, or from the database that
\`wrangler dev\` has on this machine. Nothing of either is changed.
`

export const rehearseCommand = projectOptions(new Command("rehearse"))
  .description("apply files to a copy of rows in an SQLite in memory, as a deployment does")
  .option("--rows <file>", "a script whose INSERT statements are the rows, such as an export")
  .addOption(new Option("--local", "the rows of wrangler's database here").conflicts("rows"))
  .option("--after <file>", "the last file that the database has; all but the newest by default")
  .option("--json", "print one JSON document on stdout")
  .addHelpText("after", help)
  .action(async ({ rows: file, local, json, after, ...flags }: Flags) => {
    const project = readProject(flags)
    const files = await readFiles(project)
    const baseLength =
      after === undefined ? files.length - 1 : positionOf(files, after, project) + 1
    const base = files.slice(0, baseLength)
    const rows = file === undefined ? (local ? await localRows(flags) : "") : readRows(file)
    using databases = new DisposableStack()
    const rehearsal = await rehearse({
      base,
      pending: files.slice(baseLength),
      rows,
      create: async () => openDatabase(databases.use(sqliteD1()), project.names),
      say,
      signal: new AbortController().signal,
    })
    const problems = problemsOf(rehearsal)
    const text = () =>
      rehearsalText(rehearsal, { base: base.at(-1)?.name ?? "none", facts: [], problems })
    print(json ? JSON.stringify({ ...rehearsal, problems }) : text())
    if (problems.length === 0) return
    throw new Failure("COMMAND_FAILED", "These files cannot be applied as they are; see above.")
  })

function readRows(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    throw new Failure("USAGE", `${file} cannot be read: ${messageOf(error)}`, { cause: error })
  }
}

async function localRows(flags: ProjectFlags): Promise<string> {
  await using project = await openProject({ ...flags, local: true })
  return rowsOf(project.database)
}

const Text = z.object({ text: z.string() })

/** The rows of all ordinary tables, as INSERT statements. */
async function rowsOf(database: Database): Promise<string> {
  const queries = tablesOf(await database.objects()).map(({ name, columns }) => {
    const stored = columns
      .filter(({ generated }) => !generated)
      .map((column) => quoteName(column.name))
    const insert = `INSERT INTO ${quoteName(name)} (${stored.join(", ")}) VALUES(`
    const values = stored.map((column) => `quote(${column})`).join(" || ',' || ")
    return [
      name,
      `SELECT '${insert.replaceAll("'", "''")}' || ${values} || ');' AS text FROM ${quoteName(name)}`,
    ]
  })
  if (queries.length === 0) return ""
  const answers = await database.askAll(Object.fromEntries(queries))
  const rows = Object.values(answers).flat()
  return rows.map((row) => Text.parse(row).text).join("\n")
}
