import { Command, InvalidArgumentError } from "commander"

import { counted } from "../counted.ts"
import { openDatabase } from "../d1/database.ts"
import { sqliteD1 } from "../d1/sqlite.ts"
import { Failure } from "../failure.ts"
import { schemaAfter } from "../lint/earlier-schema.ts"
import { rehearsalText } from "../rehearsal/rehearsal-text.ts"
import { rehearse } from "../rehearsal/rehearsal.ts"
import { problemsOf } from "../rehearsal/verdict.ts"
import { seedOf } from "../seed/seed.ts"
import { positionOf } from "./file-position.ts"
import { readFiles } from "./open-project.ts"
import { print, say } from "./output.ts"
import { projectOptions } from "./project-options.ts"
import { type ProjectFlags, readProject } from "./project.ts"

type Flags = ProjectFlags & { rows: number; json?: true }

function trialCommand(name: string): Command {
  return projectOptions(new Command(name)).option("--rows <number>", "of each table", rows, 100)
}

function rows(text: string): number {
  const count = Number(text)
  if (/^\d+$/.test(text) && count >= 1 && count <= 10_000) return count
  throw new InvalidArgumentError("Rows are a number from 1 to 10000.")
}

export const seedCommand = trialCommand("seed")
  .description("print rows for every table of the schema that the files make, as INSERT statements")
  .action(async ({ rows: count, ...flags }: Flags) => {
    const files = await readFiles(readProject(flags))
    const { database, problem } = schemaAfter(files)
    using schema = database
    if (problem !== undefined) throw new Failure("COMMAND_FAILED", `${problem}.`)
    const { scripts, shortages } = seedOf(schema.objects(), count)
    for (const { table, rows: found, reason } of shortages) {
      say(`${table}: ${counted(found, "row")}, ${reason}`)
    }
    print(scripts.join("\n"))
  })

export const rehearseCommand = trialCommand("rehearse")
  .description("apply files to an SQLite in memory with rows in every table, as a deployment does")
  .option("--after <file>", "the last file that the database has; all but the newest by default")
  .option("--json", "print one JSON document on stdout")
  .action(async ({ rows: count, json, after, ...flags }: Flags & { after?: string }) => {
    const project = readProject(flags)
    const files = await readFiles(project)
    const known = after === undefined ? files.length - 1 : positionOf(files, after, project) + 1
    const base = files.slice(0, known)
    using databases = new DisposableStack()
    const rehearsal = await rehearse({
      base,
      pending: files.slice(known),
      rows: count,
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
