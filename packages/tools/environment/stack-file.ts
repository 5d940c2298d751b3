import type * as z from "zod"

import { unusable, readStack, type Stack } from "./read.ts"
import { readSource, type StackFile } from "./stack-source.ts"
import { type Configuration, configurationOf, type EnvironmentFile } from "./subject.ts"

/**
 * Checks a stack file before any engine starts, without decrypting its secrets.
 * @throws Failure, with the place of every problem
 */
export function readStackFile({
  path,
  name,
  label = path,
  neighbours = [],
}: {
  path: string
  name: string
  label?: string
  neighbours?: EnvironmentFile[]
}): Stack {
  const configuration = readConfiguration(path, label)
  return readStack({ name, file: label, configuration, path, neighbours })
}

/**
 * The `config` of a stack file as Pulumi would pass it, with a placeholder per encrypted value.
 * @throws Failure unless it is a stack file at all
 */
export function readConfiguration(path: string, label: string): Configuration {
  parseStackFile(path, label)
  return configurationOf(readSource(path))
}

export function parseStackFile(path: string, label: string): z.infer<typeof StackFile> {
  const { broken, file, locate } = readSource(path)
  if (broken.length === 0) return file
  throw unusable(
    label,
    broken.map(({ path: at, reason }) => {
      const { line, column } = locate(at) ?? {}
      const place = line === undefined ? "" : ` (line ${line}, column ${column})`
      return `${at[0] ?? "the file"} ${reason}${place}`
    }),
  )
}
