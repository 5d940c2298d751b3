import type { PlainSource } from "@accounts-stack/tools/project"
import type * as z from "zod"

import {
  type Keyed,
  keyedSettings,
  type Settings,
} from "../app/service/platform/configuration/settings.ts"

type OwnKeys = { [Name in Keyed as Settings[Name]["key"]]: Settings[Name]["schema"] }

const keyed = keyedSettings()

/** Keys of stack files that only this service has, as its settings declare them. */
export const ownKeys = keysOf()

/** The text of a key's value; none if that is the default. */
export const ownSources = sourcesOf()

function keysOf(): OwnKeys
function keysOf() {
  return Object.fromEntries(
    keyed.map(({ key, schema, summary }) => [
      key,
      schema.meta({ description: summary.replace(/\.$/, "") }),
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
