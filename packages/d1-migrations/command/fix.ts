import { existsSync } from "node:fs"
import { join } from "node:path"

import { Command } from "commander"

import type { Program } from "./lint.ts"
import { print, say } from "./output.ts"
import type { ProjectFlags } from "./project.ts"

type Flags = ProjectFlags & { schema?: string; json?: true }

export function fixCommand({ command, projects }: Program): Command {
  return new Command("fix")
    .argument("<file>", "a migration that is not applied yet")
    .description("rebuild tables in the form that keeps the rows of others on D1")
    .option("--schema <file>", "what the database is like before the file, as CREATE statements")
    .option("--json", "print one JSON document on stdout")
    .addHelpText("after", helpFor(command))
    .action(async (path: string, { schema, json, ...flags }: Flags) => {
      const { fixFile } = await import("../index.ts")
      const [project] = await projects(flags, [path])
      // By its name in the project's folder, as `apply` names it.
      const inFolder = join(project?.folder.directory ?? "", path)
      const file = !existsSync(path) && existsSync(inFolder) ? inFolder : path
      const changed = fixFile(file, { schema, ...project })
      if (json) print(JSON.stringify({ file, changed }))
      say(changed ? `${file} rebuilds with the keys moved away first.` : `${file} needs no change.`)
    })
}

function helpFor(command: string): string {
  return `
Only for a file that no database has applied yet. The files before it are found by their numbers.

Examples:
  ${command} fix migrations/0005_plans.sql
  ${command} fix change.sql --schema schema.sql
`
}
