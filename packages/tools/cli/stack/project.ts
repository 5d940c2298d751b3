import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

import { parseDocument } from "yaml"

import { root } from "../../base/root.ts"
import { committedEnvironments } from "../../environment/committed.ts"
import { readStack, type Stack } from "../../environment/read.ts"
import { parseStackFile, readConfiguration, readStackFile } from "../../environment/stack-file.ts"

/** A directory with a Pulumi.yaml, and the stack file to use with it. */
export type Project = {
  directory: string
  stack: string
  stackFile: string
  /** Cloudflare's API, as the stack file has it. */
  baseUrl: string
  accountId: string
  /** What encrypts the secrets of a new stack, if the stack file says so. */
  secretsProvider?: string | undefined
}

/** Values that replace those of a stack file, by key. */
export type Overrides = Record<string, string>

/** The checkout itself, which the `pulumi` command uses as well. */
export function checkoutProject(stack: string): Project {
  const stackFile = join(root, "environments", `Pulumi.${stack}.yaml`)
  const label = `environments/Pulumi.${stack}.yaml`
  const neighbours = committedEnvironments()
  const read = readStackFile({ path: stackFile, name: stack, label, neighbours })
  const { secretsprovider: secretsProvider } = parseStackFile(stackFile, label)
  return { directory: root, stack, stackFile, ...placeOf(read), secretsProvider }
}

/**
 * Writes a project under the state directory that runs the checkout's program with other values, because
 * committed stack files must not change. It is written again each time; the stack is in the backend.
 */
export function generateProject(options: {
  state: string
  stack: string
  /** Stack file or template to copy. */
  template: string
  overrides: Overrides
}): Project {
  const { state, stack, template, overrides } = options
  const directory = resolve(state, "projects", stack)
  const stackFile = join(directory, `Pulumi.${stack}.yaml`)
  const configuration = { ...readConfiguration(template, template), ...overrides }
  const read = readStack({ name: stack, file: template, path: template, configuration })
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  write(join(directory, "Pulumi.yaml"), projectFile())
  write(stackFile, overriddenStackFile({ template, overrides, stackFile }))
  const { secretsprovider: secretsProvider } = parseStackFile(template, template)
  return { directory, stack, stackFile, ...placeOf(read), secretsProvider }
}

function placeOf({ baseUrl, environment: { accountId } }: Stack) {
  return { baseUrl, accountId }
}

/** The checkout's Pulumi.yaml for another directory, whose stack files lie beside it. */
export function projectFile({ runtime = true }: { runtime?: boolean } = {}): string {
  const document = parseDocument(readFileSync(join(root, "Pulumi.yaml"), "utf8"))
  document.set("main", join(root, "infra", "main.js"))
  document.set("stackConfigDir", ".")
  document.setIn(["plugins", "providers", 0, "path"], join(root, "packages", "tools", "provider"))
  if (!runtime) document.delete("runtime")
  return document.toString()
}

function overriddenStackFile(options: {
  template: string
  overrides: Overrides
  stackFile: string
}): string {
  const { template, overrides, stackFile } = options
  const document = parseDocument(readFileSync(template, "utf8"))
  document.commentBefore = ` Generated from ${template}: change that file instead.`
  for (const [key, value] of Object.entries(overrides)) document.setIn(["config", key], value)
  // Pulumi created the salt with the stack; without it the secrets of the stack are lost. A stack that
  // has another key by now seals them with that one, and its state still knows the salt.
  const salt =
    existsSync(stackFile) && !document.has("secretsprovider")
      ? parseDocument(readFileSync(stackFile, "utf8")).get("encryptionsalt")
      : undefined
  if (salt && !document.has("encryptionsalt")) document.set("encryptionsalt", salt)
  return document.toString()
}

function write(path: string, content: string): void {
  if (existsSync(path) && readFileSync(path, "utf8") === content) return
  writeFileSync(`${path}.${process.pid}`, content, { mode: 0o600 })
  renameSync(`${path}.${process.pid}`, path)
}
