import { parse } from "yaml"
import * as z from "zod"

export type Change = {
  section: string
  key: string
  before: string | undefined
  after: string | undefined
}

const Effective = z.record(z.string(), z.record(z.string(), z.coerce.string()))

/** The facts of two effective files that differ, in the order of the files. */
export function changesBetween(before: string | undefined, after: string | undefined): Change[] {
  const [old, now] = [factsOf(before), factsOf(after)]
  return [...new Set([...now.keys(), ...old.keys()])]
    .filter((name) => old.get(name) !== now.get(name))
    .map((name) => {
      const [section = "", key = ""] = name.split("\n")
      return { section, key, before: old.get(name), after: now.get(name) }
    })
}

/** By section and key. A file that nobody rendered says nothing. */
export function factsOf(text: string | undefined): Map<string, string> {
  const { data } = Effective.safeParse(text === undefined ? {} : parse(text))
  return new Map(
    Object.entries(data ?? {}).flatMap(([section, facts]) =>
      Object.entries(facts).map(([key, value]) => [`${section}\n${key}`, value] as const),
    ),
  )
}

/** As a unified diff shows it, without what stays. */
export function describeChanges(changes: Change[]): string {
  return changes
    .flatMap(({ section, key, before, after }) => [
      ...(before === undefined ? [] : [`- ${section}: ${key}: ${before}`]),
      ...(after === undefined ? [] : [`+ ${section}: ${key}: ${after}`]),
    ])
    .join("\n")
}
