import { dirname, join } from "node:path"

import { Failure } from "../../base/failure.ts"
import { migrationsDirectory } from "../../base/root.ts"
import { Environment } from "../environment.ts"
import { readMigrations } from "../own-names.ts"
import type { Stack } from "../read.ts"
import { judge } from "../rules/rules.ts"
import { permanent } from "../stack-keys.ts"
import { readText, type StackSource } from "../stack-source.ts"
import {
  environmentName,
  type EnvironmentFile,
  listEnvironments,
  readSubject,
  readSubjects,
  type StackSubject,
} from "../subject.ts"
import { effectiveText, effectiveFacts } from "./effective.ts"
import {
  escImports,
  digest,
  type Sources,
  type Site,
  changesBetween,
  describeChanges,
} from "./facts.ts"

type Rendered = {
  stack: string
  /** Path of the effective file. */
  path: string
  /** Undefined if the stack file cannot be read. */
  text: string | undefined
  /** Text of the file at `path`; undefined if it does not exist. */
  committed: string | undefined
}

/** Renders the effective file of each environment of a folder. */
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

/** Reads the file of a stack; undefined if the file is generated or cannot be read. */
function writtenOf(name: string, files: EnvironmentFile[]) {
  const file = files.find(({ stack, template }) => stack === name && !template)
  const sources = file && sourcesOf(file, readSubject(file, files))
  return sources && { path: effectivePath(file), sources }
}

/** Reads the sources of a stack file; undefined if it cannot be read. */
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

/** Describes how the secrets are sealed, without the passphrase itself. */
function sealingOf(file: StackSource["file"]): Record<string, string> {
  const { encryptionsalt, encryptedkey, secretsprovider } = file
  return {
    ...(secretsprovider === undefined ? {} : { "secrets provider": secretsprovider }),
    ...(encryptionsalt === undefined ? {} : { "salt of the passphrase": digest(encryptionsalt) }),
    ...(encryptedkey === undefined ? {} : { "encrypted key": digest(encryptedkey) }),
  }
}

/** Finds effective files that differ from a new rendering, with the difference. */
export async function findStale(directory: string): Promise<{ path: string; diff: string }[]> {
  const rendered = await renderEnvironments(directory)
  return rendered
    .filter(({ text, committed }) => text !== undefined && text !== committed)
    .map(({ path, text, committed }) => ({
      path,
      diff: describeChanges(changesBetween(committed, text)) || "its comments or its order",
    }))
}

/**
 * Refuses to deploy a permanent environment that reviewers have not seen.
 * @throws Failure COMMAND_FAILED with the facts that differ
 */
export function expectCommitted({ name, environment }: Stack, { files, migrations }: Site): void {
  // Reviewers do not read the stacks of tests.
  if (!permanent(environment) || environment.fixture) return
  const written = writtenOf(name, files)
  if (!written) {
    throw new Failure(
      "COMMAND_FAILED",
      `environments/Pulumi.${name}.yaml is missing, so ${name} was never reviewed.`,
    )
  }
  const { path, sources } = written
  const committed = readText(path)
  const text = effectiveText({ ...sources, environment, migrations })
  if (text === committed) return
  const changes = describeChanges(changesBetween(committed, text))
  throw new Failure(
    "COMMAND_FAILED",
    `The program would not deploy what environments/${name}.effective.yaml says:\n${changes}\n` +
      "Run ./accounts environment render, and have the change reviewed.",
  )
}

/**
 * Returns the facts of a deployed environment. State keeps them, so that a plan can compare them with new
 * facts. The ciphertexts of a generated stack file are unknown here.
 */
export function deployedFacts(
  { name, environment, accepted }: Stack,
  { files, migrations }: Site,
): Record<string, string> {
  const written = writtenOf(name, files)?.sources
  // A test's own stack may have the name of an environment.
  const ownSources = written?.environment.fixture === environment.fixture ? written : undefined
  const generated = { stack: name, file: `Pulumi.${name}.yaml`, seals: undefined, others: {} }
  return effectiveFacts({ accepted, ...(ownSources ?? generated), environment, migrations })
}
