import { dirname, join } from "node:path"

import { migrationsDirectory } from "../../base/root.ts"
import { Environment } from "../environment.ts"
import { readMigrations } from "../own-names.ts"
import { readText } from "../read-text.ts"
import { judge } from "../rules/judge.ts"
import type { StackSource } from "../stack-source.ts"
import {
  environmentName,
  type EnvironmentFile,
  listEnvironments,
  readSubject,
  readSubjects,
  type StackSubject,
} from "../subject.ts"
import { effectiveText } from "./effective.ts"
import { escImports } from "./fact-keys.ts"
import { digest, type Sources } from "./section.ts"

export type Rendered = {
  stack: string
  /** Where the effective file lies. */
  path: string
  /** Undefined if the stack file cannot be read. */
  text: string | undefined
  /** As it lies there; undefined if there is none. */
  committed: string | undefined
}

/** What the effective file of each environment of a folder has to say. */
export async function renderEnvironments(
  directory: string,
  migrations = migrationsDirectory,
): Promise<Rendered[]> {
  const files = listEnvironments(directory, "")
  const read = await readMigrations(migrations)
  return readSubjects(files).map(({ file, subject }) => {
    const path = effectivePath(file)
    const sources = sourcesOf(file, subject)
    const text = sources && effectiveText({ ...sources, migrations: read })
    const committed = readText(path)
    return { stack: environmentName(file), path, text, committed }
  })
}

function effectivePath(file: EnvironmentFile): string {
  return join(dirname(file.path), `${environmentName(file)}.effective.yaml`)
}

/** The file of a stack and what it says, unless it is generated or cannot be read. */
export function writtenOf(name: string, files: EnvironmentFile[]) {
  const file = files.find(({ stack, template }) => stack === name && !template)
  const sources = file && sourcesOf(file, readSubject(file, files))
  return sources && { path: effectivePath(file), sources }
}

/** What a stack file says; undefined if it cannot be read. */
function sourcesOf(
  file: EnvironmentFile,
  { source, ...subject }: StackSubject,
): Omit<Sources, "migrations"> | undefined {
  const { data } = Environment.safeParse(subject.environment)
  if (!data || subject.broken.length > 0) return undefined
  const { environment: imports } = source.file
  const open = new Set(subject.unsealed?.map(([key]) => key))
  const foreign = Object.entries(subject.values)
    .filter(([key]) => !/^(?:accounts|cloudflare):/.test(key))
    .map(([key, value]) => [key, open.has(key) ? "in clear" : value] as const)
  return {
    stack: file.stack,
    file: file.path.replace(/^.*\//, ""),
    environment: data,
    seals: subject.seals,
    others: {
      ...Object.fromEntries(foreign),
      ...(imports === undefined ? {} : { [escImports]: imports }),
      ...sealingOf(source.file),
    },
    accepted: judge(subject).filter(({ accepted }) => accepted !== undefined),
  }
}

/** What the secrets are sealed with, without the passphrase itself. */
function sealingOf(file: StackSource["file"]): Record<string, string> {
  const { encryptionsalt, encryptedkey, secretsprovider } = file
  return {
    ...(secretsprovider === undefined ? {} : { "secrets provider": secretsprovider }),
    ...(encryptionsalt === undefined ? {} : { "salt of the passphrase": digest(encryptionsalt) }),
    ...(encryptedkey === undefined ? {} : { "encrypted key": digest(encryptedkey) }),
  }
}
