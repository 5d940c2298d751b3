import { existsSync, readFileSync } from "node:fs"
import { dirname, join, posix, resolve } from "node:path"

import { parse } from "smol-toml"
import stripJsonComments from "strip-json-comments"
import * as z from "zod"

import { Failure, messageOf } from "../failure.ts"
import type { Folder } from "../files/list-migrations.ts"
import { type Names, usualNames } from "../names.ts"

/** A project's folder of migrations, and the database that they are applied to. */
export type Project = {
  folder: Folder
  names: Names
  accountId?: string | undefined
  databaseId?: string | undefined
  settings?: Settings | undefined
}

/** The path of wrangler's configuration, and its entry for the database. */
export type Settings = { file: string; database: Database }

export type ProjectFlags = {
  config?: string
  env?: string
  database?: string
  dir?: string
}

/** The part of wrangler's configuration that concerns migrations. */
const Database = z.object({
  binding: z.string(),
  database_name: z.string().optional(),
  database_id: z.string().optional(),
  preview_database_id: z.string().optional(),
  migrations_dir: z.string().optional(),
  migrations_pattern: z.string().optional(),
  migrations_table: z.string().optional(),
})
type Database = z.infer<typeof Database>

const Environment = z.object({
  account_id: z.string().optional(),
  d1_databases: z.array(Database).default([]),
})
const Config = Environment.extend({ env: z.record(z.string(), Environment).default({}) })

/** The names of configuration files, in the order in which wrangler looks for them. */
const usualFiles = ["wrangler.json", "wrangler.jsonc", "wrangler.toml"]

/** Reads the only matching project. @throws USAGE if the configuration has several matching databases */
export function readProject(flags: ProjectFlags): Project {
  const projects = readProjects(flags)
  const [project] = projects
  if (project !== undefined && projects.length === 1) return project
  const candidates = projects.flatMap(({ settings }) => settings ?? [])
  throw unclear(
    candidates[0]?.file ?? "",
    candidates.map((candidate) => candidate.database),
  )
}

/**
 * Reads a project for each database in the configuration, or for `--database`. Returns a single project if files are
 * given. @throws USAGE for an unknown database
 */
export function readProjects(
  { config, env, database, dir }: ProjectFlags,
  files: string[] = [],
): Project[] {
  const file = config ?? findSettings()
  if (file === undefined) {
    return [{ folder: { directory: dir ?? "migrations" }, names: usualNames }]
  }
  const settings = readConfig(file)
  const chosen = env === undefined ? settings : settings.env[env]
  if (chosen === undefined) throw new Failure("USAGE", `${file} has no environment ${env}.`)
  const databases = chosen.d1_databases
  const matching = databases.filter(
    (candidate) =>
      database === undefined || [candidate.binding, candidate.database_name].includes(database),
  )
  if (matching.length === 0 && database !== undefined) throw unclear(file, databases)
  const projectOf = (databaseSettings?: Database): Project => {
    const { migrations_dir: directoryInSettings, migrations_table: ledger = usualNames.ledger } =
      databaseSettings ?? {}
    const directory = dir ?? join(dirname(file), directoryInSettings ?? "migrations")
    return {
      folder: {
        directory,
        pattern: dir === undefined ? patternOf(file, databaseSettings) : undefined,
      },
      names: { ...usualNames, ledger, sidecar: `${ledger}_sidecar` },
      accountId: chosen.account_id ?? settings.account_id,
      databaseId: databaseSettings?.database_id,
      settings: databaseSettings && { file, database: databaseSettings },
    }
  }
  const isOpen = matching.length === 0 || (files.length > 0 && matching.length > 1)
  return isOpen ? [projectOf()] : matching.map(projectOf)
}

function unclear(file: string, databases: Database[]) {
  const names = databases.map(({ binding }) => binding).join(", ")
  return new Failure("USAGE", `Say with --database which of ${file} is meant: ${names}.`)
}

/** Finds the configuration like wrangler: the first name in a parent folder precedes the next name in this folder. */
function findSettings(): string | undefined {
  return usualFiles.map((name) => findUpwards(".", name)).find((path) => path !== undefined)
}

function findUpwards(folder: string, name: string): string | undefined {
  const file = join(folder, name)
  if (existsSync(file)) return file
  const above = join(folder, "..")
  return resolve(folder) === resolve(above) ? undefined : findUpwards(above, name)
}

function readConfig(file: string): z.infer<typeof Config> {
  try {
    const text = readFileSync(file, "utf8")
    const isToml = file.endsWith(".toml")
    return Config.parse(
      isToml ? parse(text) : JSON.parse(stripJsonComments(text, { trailingCommas: true })),
    )
  } catch (error) {
    throw new Failure("USAGE", `${file} cannot be read: ${messageOf(error)}`, { cause: error })
  }
}

/** Returns the pattern relative to the folder. Like wrangler, requires both settings. */
function patternOf(file: string, database: Database | undefined): string | undefined {
  const { migrations_pattern: pattern, migrations_dir: directory } = database ?? {}
  if (pattern === undefined) return undefined
  const inside = directory === undefined ? ".." : posix.relative(directory, pattern)
  if (!inside.startsWith("..")) return inside
  throw new Failure("USAGE", `${file}: migrations_pattern has to begin with migrations_dir.`)
}
