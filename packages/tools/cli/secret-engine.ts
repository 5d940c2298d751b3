import { copyFileSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"

import * as z from "zod"

import { Failure, messageOf } from "../base/failure.ts"
import { readText } from "../environment/stack-source.ts"
import { type EnvironmentFile, listEnvironments, readSubject } from "../environment/subject.ts"
import { defaultApiPort, defaultPort } from "./local-options.ts"
import { findRunning } from "./process/local-cloudflare.ts"
import { callEngine, userEngine, type Engine, localBackendEngine } from "./stack/engine.ts"
import { projectFile } from "./stack/project.ts"

export type SecretOptions = {
  stack: string
  directory: string
  state: string
  engine: string | undefined
}

/** Finds a stack's file. @throws Failure if the stack has no file of its own */
export function findSecretStack({ stack, directory }: SecretOptions): EnvironmentFile {
  const files = listEnvironments(directory, directory).filter(({ template }) => !template)
  const environment = files.find((file) => file.stack === stack)
  // Fails early if the path is a folder, which no engine can read.
  if (environment) readText(environment.path)
  if (environment) return environment
  const stackNames = files.map((file) => file.stack)
  throw new Failure(
    "USAGE",
    stack.startsWith("preview-")
      ? `${stack} has no file of its own: previews make their secrets.`
      : `${directory} has no Pulumi.${stack}.yaml. Its stacks: ${stackNames.join(", ") || "none"}.`,
  )
}

/** Returns the engine that can decrypt a stack's file. The local Cloudflare has the key of `local`. */
export async function secretEngine({ stack, state, engine }: SecretOptions): Promise<Engine> {
  if (stack !== "local") return await userEngine(engine)
  if (await findRunning(state)) {
    return await localBackendEngine({ state, engine, apiPort: defaultApiPort, port: defaultPort })
  }
  throw new Failure("USAGE", "The local Cloudflare has the key of local: ./accounts start")
}

/**
 * Lets the engine encrypt a value in a copy of the stack file, and returns the copy's text. The value is passed
 * through standard input; the Automation API would pass it as an argument.
 */
export async function sealOnCopy(
  engine: Engine,
  file: EnvironmentFile,
  { name, value }: { name: string; value: string },
): Promise<string> {
  const args = ["config", "set", "--secret", "--path", `accounts:secrets.${name}`]
  return (await onCopy(engine, file, { args, input: value })).copy
}

const OpenedConfig = z.object({
  "accounts:secrets": z.object({ objectValue: z.record(z.string(), z.unknown()) }).optional(),
})

/** Decrypts a stack's secrets, or returns why the engine cannot. */
export async function openSecrets(
  file: EnvironmentFile,
  engine: Engine | undefined,
): Promise<{ secrets: Record<string, string> } | { why: string }> {
  const { source } = readSubject(file)
  const hasSecrets = Object.keys(source.seals).some((key) => key.startsWith("accounts:secrets."))
  if (!hasSecrets) {
    return source.broken.length === 0 ? { secrets: {} } : { why: "the file cannot be read" }
  }
  if (engine === undefined) return { why: "there is no Pulumi engine" }
  try {
    const { stdout } = await onCopy(engine, file, { args: ["config", "--show-secrets", "--json"] })
    const values = OpenedConfig.parse(JSON.parse(stdout))["accounts:secrets"]?.objectValue ?? {}
    const texts = Object.entries(values).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    )
    return { secrets: Object.fromEntries(texts) }
  } catch (error) {
    return { why: messageOf(error).split("\n")[0] ?? "" }
  }
}

/**
 * Runs the engine on a copy of the stack file, so that it cannot leave half a file behind. Secrets
 * stay encrypted in the copy.
 */
async function onCopy(
  engine: Engine,
  { stack, path }: EnvironmentFile,
  { args, input }: { args: string[]; input?: string },
): Promise<{ stdout: string; copy: string }> {
  using folder = mkdtempDisposableSync(join(tmpdir(), "accounts-secret-"))
  const { path: directory } = folder
  const copy = join(directory, basename(path))
  copyFileSync(path, copy)
  // A runtime would require a language host, which not every engine includes.
  writeFileSync(join(directory, "Pulumi.yaml"), projectFile({ runtime: false }))
  const engineArgs = [...args, "--stack", stack]
  const stdout = await callEngine(engine, { directory, args: engineArgs, ...(input && { input }) })
  return { stdout, copy: readFileSync(copy, "utf8") }
}
