import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

import { migrationsDirectory } from "../../../base/root.ts"
import { readMigrations } from "../../../provider/migrations/own-names.ts"
import { Environment } from "../environment.ts"
import { judge } from "../rules/judge.ts"
import type { StackSource } from "../stack-source.ts"
import {
  type EnvironmentFile,
  listEnvironments,
  readSubjects,
  type StackSubject,
} from "../subject.ts"
import { effectiveText } from "./effective.ts"
import type { Sources } from "./section.ts"

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
    const committed = existsSync(path) ? readFileSync(path, "utf8") : undefined
    return { stack: nameOf(file), path, text, committed }
  })
}

/** `production`, or `preview` for the template of that name. */
function nameOf({ stack, label, template }: EnvironmentFile): string {
  return template ? label.replaceAll(/^.*\/|\.yaml$/g, "") : stack
}

export function effectivePath(file: EnvironmentFile): string {
  return join(dirname(file.path), `${nameOf(file)}.effective.yaml`)
}

/** What a stack file says; undefined if it cannot be read. */
export function sourcesOf(
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
      ...(imports === undefined ? {} : { environment: imports }),
      ...sealingOf(source.file),
    },
    accepted: judge(subject).filter(({ accepted }) => accepted !== undefined),
  }
}

/** What the secrets are sealed with, without the passphrase itself. */
function sealingOf(file: StackSource["file"]): Record<string, string> {
  const { encryptionsalt, encryptedkey, secretsprovider } = file
  const short = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 12)
  return {
    ...(secretsprovider === undefined ? {} : { "secrets provider": secretsprovider }),
    ...(encryptionsalt === undefined ? {} : { "salt of the passphrase": short(encryptionsalt) }),
    ...(encryptedkey === undefined ? {} : { "encrypted key": short(encryptedkey) }),
  }
}
