import { spawnSync } from "node:child_process"
import { basename, resolve } from "node:path"

import { Command } from "commander"

import { Failure } from "../failure.ts"
import { print } from "./output.ts"
import type { Project, ProjectFlags } from "./project.ts"

type Flags = ProjectFlags & { schema?: string; since?: string; json?: true }

/** A program that knows where its project keeps migrations. */
export type Program = {
  /** As people call it, in examples. */
  command: string
  projects: (flags: ProjectFlags, files: string[]) => Project[] | Promise<Project[]>
}

export function lintCommand({ command, projects }: Program): Command {
  return new Command("lint")
    .argument("[file...]", "migrations of this or of any other project")
    .description("say what SQL migrations would lose on D1, without a database")
    .option("--since <revision>", "only files that are not as in this revision of git")
    .option("--schema <file>", "what the database is like before the files, as CREATE statements")
    .option("--json", "print one JSON document on stdout")
    .addHelpText("after", helpFor(command))
    .action(async (paths: string[], { schema, since, json, ...flags }: Flags) => {
      const { formatReports, lintFiles, listFiles } = await import("../index.ts")
      // Databases that share a folder share its files.
      const byFolder = new Map(
        (await projects(flags, paths)).map((project) => [JSON.stringify(project.folder), project]),
      )
      const reports = [...byFolder.values()].flatMap(({ folder, names }) => {
        const candidates = paths.length > 0 ? paths : listFiles(folder)
        const files = since === undefined ? candidates : changedSince(since, candidates)
        return lintFiles(files, { schema, folder, names })
      })
      print(formatReports[json ? "json" : "text"](reports))
      const refused = reports.filter((report) => report.refused).map(({ file }) => file)
      if (refused.length === 0) return
      const message = `${refused.join(", ")} would lose rows or values, fail, or could not be judged.`
      throw new Failure("COMMAND_FAILED", message)
    })
}

/** @throws USAGE where git does not know the revision */
function changedSince(revision: string, files: string[]): string[] {
  const git = (args: string[]) => {
    const { status, stdout, stderr, error } = spawnSync("git", args, { encoding: "utf8" })
    if (status === 0) return stdout
    const [why = ""] = (error?.message ?? stderr).split("\n")
    const next = `Run it within the repository, and fetch the revision first (git fetch origin ${basename(revision)}), or leave --since out to read all files.`
    throw new Failure("USAGE", `--since ${revision}: ${why}. ${next}`)
  }
  git(["rev-parse", "--verify", `${revision}^{commit}`])
  const changed = git(["diff", "--name-only", "--relative", "-z", revision, "--", ...files])
  const untracked = git(["ls-files", "--others", "--exclude-standard", "-z", "--", ...files])
  const changedPaths = new Set(`${changed}${untracked}`.split("\0").map((name) => resolve(name)))
  return files.filter((file) => changedPaths.has(resolve(file)))
}

function helpFor(command: string): string {
  return `
Without files it reads all of the project, and of each of its databases. A file is read together with the migrations before it, which
it finds by their numbers: 0007_name.sql in the same folder, or 20260101_name/migration.sql beside the
other folders. Without them it cannot know what refers to a table, and errs on the safe side.

Exit code 0: keeps every row. 1: would lose rows, or fail on D1. 2: wrong usage.

Examples:
  ${command} lint migrations/*.sql
  ${command} lint ../shop/drizzle/0012_shiny_hulk.sql
  ${command} lint change.sql --schema schema.sql
  ${command} lint --since origin/main
`
}
