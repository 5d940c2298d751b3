import { readFileSync } from "node:fs"
import { join } from "node:path"

import type { PlainSource } from "@accounts-stack/tools/project"
import type * as z from "zod"

import {
  type Keyed,
  keyedSettings,
  type Settings,
  settings,
} from "../app/service/platform/configuration/settings.ts"

const settingsFile = join(import.meta.dirname, "../app/service/platform/configuration/settings.ts")

const docblocks = docblocksOf(readFileSync(settingsFile, "utf8"))

/** The settings, each with its docblock and default as a summary. */
export const describedSettings = settingsOf()

type OwnKeys = { [Name in Keyed as Settings[Name]["key"]]: Settings[Name]["schema"] }

const keyed = keyedSettings()

/** Keys of stack files that only this service has, as declared by its settings. */
export const ownKeys = keysOf()

/** Text of each key's value; none for the default. */
export const ownSources = sourcesOf()

function settingsOf(): { [Name in keyof Settings]: Settings[Name] & { summary: string } }
function settingsOf() {
  return Object.fromEntries(
    Object.entries(settings).map(([name, setting]) => [
      name,
      { ...setting, summary: summaryOf(name, "schema" in setting ? setting.schema : undefined) },
    ]),
  )
}

function summaryOf(name: string, schema?: z.ZodType) {
  const docblock = docblocks.get(name)
  if (!docblock) {
    throw new Error(`${settingsFile}: ${name} has no docblock that says what it is for`)
  }
  const usual: unknown = schema?.safeParse(undefined).data
  return typeof usual === "string" ? `${docblock} Default: ${usual}.` : docblock
}

/** Returns the docblocks of a file's properties by name, each as one line. */
function docblocksOf(source: string) {
  const parts = source.split("\n  /**").map((part) => part.split("*/\n  "))
  return new Map(
    parts.map(([comment = "", code = ""]) => [
      /^\w*/.exec(code)?.[0] ?? "",
      comment.replaceAll("\n   *", "").trim(),
    ]),
  )
}

function keysOf(): OwnKeys
function keysOf() {
  return Object.fromEntries(
    keyed.map(({ name, key, schema }) => [
      key,
      schema.meta({ description: summaryOf(name, schema).replace(/\.$/, "") }),
    ]),
  )
}

function sourcesOf(): Record<Keyed, PlainSource>
function sourcesOf() {
  return Object.fromEntries(keyed.map(({ name, key, schema }) => [name, sourceOf(key, schema)]))
}

function sourceOf(key: string, schema: z.ZodType): PlainSource {
  const usual = schema.safeParse(undefined).data
  return {
    keys: [key],
    valueOf: (stack) => {
      const value: unknown = Object.entries(stack).find(([name]) => name === key)?.[1]
      return value === usual ? undefined : textOf(value)
    },
  }
}

function textOf(value: unknown) {
  if (Array.isArray(value)) return value.join(",")
  return typeof value === "string" ? value : JSON.stringify(value)
}
