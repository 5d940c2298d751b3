import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"

import * as z from "zod"

import { cloudflareApi } from "../base/process-environment.ts"
import { root } from "../base/root.ts"
import { Environment, templateBranch } from "./environment.ts"
import type { Described, Subject } from "./rules/rule.ts"
import { readSource, replaceEncrypted, type StackSource } from "./stack-source.ts"

export const environmentsDirectory = join(root, "environments")

/** Lists the environments of this checkout. */
export function committedEnvironments(): EnvironmentFile[] {
  return listEnvironments(environmentsDirectory, "environments")
}

/** A stack's configuration as Pulumi passes it: text by `namespace:key`, structures as JSON. */
export type Configuration = Record<string, string>

const { properties = {} } = z.toJSONSchema(Environment, { io: "input" })

/** Parses the values of a configuration. Pulumi passes text unchanged and everything else as JSON. */
export function valuesOf(configuration: Configuration): Record<string, unknown> {
  const entries = Object.entries(configuration)
  return Object.fromEntries(
    entries.map(([key, text]) => [key, isText(key) ? text : parseJson(text)]),
  )
}

function isText(key: string): boolean {
  if (!key.startsWith("accounts:")) return true
  const property = properties[key.slice("accounts:".length)]
  return typeof property !== "object" || property.type === "string"
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Returns the `config` of a stack file as Pulumi would pass it, with placeholders for encrypted values. */
export function configurationOf({ file }: StackSource): Configuration {
  return Object.fromEntries(
    Object.entries(file.config).map(([key, value]) => [
      key,
      typeof value === "string" ? value : JSON.stringify(replaceEncrypted(value)),
    ]),
  )
}

const PartOfEnvironment = Environment.partial()

/** Describes the readable part of a stack; the rules report the rest. */
export function describe(options: {
  stack: string
  label: string
  values: Record<string, unknown>
  seals: Record<string, string>
}): Described {
  const { stack, label, values, seals } = options
  const readable = Object.entries(Environment.shape).flatMap(([short, schema]) => {
    const value = values[`accounts:${short}`]
    return schema.safeParse(value).success && value !== undefined ? [[short, value] as const] : []
  })
  const readableValues = Object.fromEntries(readable)
  const environment = PartOfEnvironment.safeParse(readableValues).data ?? {}
  // A default replaces a missing key, but never an invalid value.
  const usableEntries = Object.entries(environment).filter(
    ([short]) => short in readableValues || !(`accounts:${short}` in values),
  )
  const baseUrl = z.string().catch(cloudflareApi).parse(values["cloudflare:baseUrl"])
  return {
    stack,
    label,
    environment: Object.fromEntries(usableEntries),
    baseUrl,
    seals,
    opened: false,
  }
}

export type StackSubject = Subject & { source: StackSource }

type Read = { file: EnvironmentFile; source: StackSource; described: Described }

/** Reads a stack file without opening its secrets. */
export function readSubject(file: EnvironmentFile, neighbours: EnvironmentFile[] = []) {
  const environmentFiles = neighbours.filter(({ path }) => path !== file.path)
  return subjectOf(readFile(file), environmentFiles.map(readFile))
}

/** Reads each stack file once, for itself and as a neighbour of all others. */
export function readSubjects(files: EnvironmentFile[]) {
  const reads = files.map(readFile)
  return reads.map((read) => ({
    file: read.file,
    subject: subjectOf(
      read,
      reads.filter((otherRead) => otherRead !== read),
    ),
  }))
}

function readFile(file: EnvironmentFile): Read {
  const source = readSource(file.path, file.template ? nameBranch : undefined)
  return { file, source, described: describeSource(file, source) }
}

function subjectOf({ described, source }: Read, neighbours: Read[]): StackSubject {
  return {
    ...described,
    values: valuesFrom(source),
    broken: source.broken,
    unsealed: source.unsealed,
    imports: source.file.environment !== undefined,
    committed: true,
    neighbours: neighbours.map((neighbour) => neighbour.described),
    source,
  }
}

function describeSource({ stack, label }: EnvironmentFile, source: StackSource): Described {
  return describe({ stack, label, values: valuesFrom(source), seals: source.seals })
}

/** Returns the values as the engine would pass them, except that an empty value stays null. */
function valuesFrom(source: StackSource): Record<string, unknown> {
  const values = valuesOf(configurationOf(source))
  const empty = Object.entries(source.file.config).filter(([, value]) => value === null)
  return { ...values, ...Object.fromEntries(empty) }
}

function nameBranch(text: string): string {
  return text.replaceAll("{branch}", templateBranch)
}

/** Returns the name of the stack, or of the template, such as `production` or `preview`. */
export function environmentName({ stack, label, template }: EnvironmentFile): string {
  return template ? label.replaceAll(/^.*\/|\.yaml$/g, "") : stack
}

export type EnvironmentFile = { stack: string; path: string; label: string; template: boolean }

/** Lists the stack files and the preview templates of a folder. */
export function listEnvironments(directory: string, label: string): EnvironmentFile[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .toSorted()
    .flatMap((name) => {
      const stack = /^Pulumi\.(.+)\.yaml$/.exec(name)?.[1]
      const template =
        /^preview(?:\.[a-z0-9-]+)?\.yaml$/.test(name) && name !== "preview.effective.yaml"
      if (stack === undefined && !template) return []
      const file = { path: join(directory, name), label: label ? `${label}/${name}` : name }
      return [{ ...file, stack: stack ?? `preview-${templateBranch}`, template }]
    })
}
