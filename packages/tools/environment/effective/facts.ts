import { createHash } from "node:crypto"

import type { MigrationFile } from "@accounts-stack/d1-migrations/files"
import { parse } from "yaml"
import * as z from "zod"

import type { Environment } from "../environment.ts"
import type { Finding } from "../rules/rules.ts"
import type { EnvironmentFile } from "../subject.ts"

export type Change = {
  section: string
  key: string
  before: string | undefined
  after: string | undefined
}

const Effective = z.record(z.string(), z.record(z.string(), z.coerce.string()))

/** Compares two effective files. Returns the facts that differ, in the order of the files. */
export function changesBetween(before: string | undefined, after: string | undefined): Change[] {
  return changesOf(factsOf(before), factsOf(after))
}

/** Compares facts by section and key, such as `reach: api`. */
export function changesOf(old: Map<string, string>, now: Map<string, string>): Change[] {
  return [...new Set([...now.keys(), ...old.keys()])]
    .filter((name) => old.get(name) !== now.get(name))
    .map((name) => {
      const [section = "", ...key] = name.split(": ")
      return { section, key: key.join(": "), before: old.get(name), after: now.get(name) }
    })
}

/** Returns the facts by section and key; none for a file that was never rendered. */
export function factsOf(text: string | undefined): Map<string, string> {
  const { data } = Effective.safeParse(text === undefined ? {} : parse(text))
  return new Map(
    Object.entries(data ?? {}).flatMap(([section, facts]) =>
      Object.entries(facts).map(([key, value]) => [`${section}: ${key}`, value] as const),
    ),
  )
}

/** Formats changes like a unified diff, without unchanged lines. */
export function describeChanges(changes: Change[]): string {
  return changes
    .flatMap(({ section, key, before, after }) => [
      ...(before === undefined ? [] : [`- ${section}: ${key}: ${before}`]),
      ...(after === undefined ? [] : [`+ ${section}: ${key}: ${after}`]),
    ])
    .join("\n")
}

/** Names of the facts that matter to a plan and a review, and functions that recognise them. */

const prefixes = {
  cookie: "cookie ",
  origin: "origin ",
  callback: "callback of ",
  token: "token for ",
} as const

export const sessionReach = "session cookie reaches"
export const databaseJurisdiction = "database jurisdiction"
export const databaseLocation = "database location"
export const escImports = "values of Pulumi ESC, not visible here, from"
const alone = " alone"

export function keyOf(kind: keyof typeof prefixes, name: string): string {
  return `${prefixes[kind]}${name}`
}

export function isOf(kind: keyof typeof prefixes, key: string): boolean {
  return key.startsWith(prefixes[kind])
}

export function isSessionCookie(key: string): boolean {
  return isOf("cookie", key) && key.endsWith(".session_token")
}

/** Returns the value of `sessionReach` if only this host gets the cookie. */
export function hostAlone(host: string): string {
  return `${host}${alone}`
}

export function isHostAlone(value: string): boolean {
  return value.endsWith(alone)
}

/** The sources of an environment: its file, the code and the migrations. */
export type Sources = {
  stack: string
  /** Name of the stack file, without its folder. */
  file: string
  environment: Environment
  /** Ciphertexts by path; undefined if the file itself is not known. */
  seals: Record<string, string> | undefined
  /** Keys of other namespaces, and the environments of Pulumi ESC. */
  others: Record<string, unknown>
  accepted: Finding[]
  migrations: Pick<MigrationFile, "name" | "sha256">[]
}

/** Returns the beginning of a hash, which shows reviewers that a value has changed. */
export function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12)
}

/** Files that determine what is deployed, besides a stack file. */
export type Site = {
  files: EnvironmentFile[]
  migrations: Sources["migrations"]
}
