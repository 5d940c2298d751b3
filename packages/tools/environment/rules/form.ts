import type * as z from "zod"

import { Environment } from "../environment.ts"
import { at, type Found, type Path, type Rule, type Subject } from "./rule.ts"

export const formRules: Rule[] = [
  {
    id: "R01",
    message: "A stack file is one YAML document with the keys that Pulumi reads",
    fix: "write it like environments/Pulumi.staging.yaml",
    check: ({ broken }) => broken,
  },
  {
    id: "R02",
    message: "Every key of the project's namespaces is one that it reads",
    fix: "remove it, or correct its name",
    check: (subject) => [...unknownKeys(subject), ...issuesOf(subject, "unknown")],
  },
  {
    id: "R03",
    message: "Every key that has no default is there",
    fix: "add it",
    // A file that cannot be read at all has been refused already.
    applies: ({ broken, values }) => broken.length === 0 || Object.keys(values).length > 0,
    check: (subject) => issuesOf(subject, "missing"),
  },
  {
    id: "R04",
    message: "Every value has the type and the form of its key",
    fix: "write it as environments/stack.schema.json describes it",
    check: (subject) => issuesOf(subject, "malformed"),
  },
  {
    id: "R05",
    message: "The file brings no token and no other setting of the Cloudflare provider",
    fix: "remove it: the token comes from CLOUDFLARE_API_TOKEN alone",
    check: ({ values }) =>
      Object.keys(values)
        .filter((key) => key.startsWith("cloudflare:") && key !== "cloudflare:baseUrl")
        .flatMap((key) => at(key, "is not taken from a stack file")),
  },
]

const shape: Record<string, z.ZodType> = Environment.shape

const snapshots =
  "is gone: remove it. Each question about a session asks the database (CHANGELOG.md)"

/** Keys of former releases, and what to do with them. */
const removedKeys = new Map([
  ["sessionCache", snapshots],
  ["sessionGrace", snapshots],
])

/** Ignores the namespaces of other providers and of Pulumi, but reports misspellings of this project's. */
function unknownKeys({ values }: Subject): Found[] {
  return Object.keys(values).flatMap((key) => {
    const [, namespace, short = ""] = /^([^:]+):(.+)$/.exec(key) ?? []
    if (namespace === undefined) return at(key, "has no namespace")
    if (namespace === "accounts") {
      const unknownKey = `is not a known key: one of ${Object.keys(shape).join(", ")}`
      return at(key, !Object.hasOwn(shape, short) && (removedKeys.get(short) ?? unknownKey))
    }
    const meant = ["accounts", "cloudflare"].find(
      (ours) => namespace !== ours && differsSlightly(namespace.toLowerCase(), ours),
    )
    return at(key, meant && `is never read; ${meant}: may be meant`)
  })
}

/** Whether at most two characters are added, left out or replaced. */
function differsSlightly(a: string, b: string): boolean {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [line, letter] of a.split("").entries()) {
    const next = [line + 1]
    for (const [column, expected] of b.split("").entries()) {
      const exchanged = (row[column] ?? 0) + (letter === expected ? 0 : 1)
      next.push(Math.min(exchanged, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return (row.at(-1) ?? 0) <= 2
}

type Kind = "unknown" | "missing" | "malformed"

function issuesOf({ values }: Subject, kind: Kind): Found[] {
  return Object.entries(shape).flatMap(([short, schema]) => {
    const key = `accounts:${short}`
    const { error } = schema.safeParse(values[key], { reportInput: true })
    return (error?.issues ?? [])
      .flatMap((issue) => describeIssue(issue, key))
      .filter((finding) => finding.kind === kind)
      .map(({ path, reason }) => ({ path, reason }))
  })
}

function describeIssue(issue: z.core.$ZodIssue, key: string): (Found & { kind: Kind })[] {
  const within: Path = issue.path.map((part) => (typeof part === "number" ? part : String(part)))
  const path = [key, ...within]
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((name) => ({
      path: [...path, name],
      reason: "is not a known key",
      kind: "unknown",
    }))
  }
  if (issue.input === undefined) return [{ path, reason: "is missing", kind: "missing" }]
  return [{ path, reason: reasonOf(issue), kind: "malformed" }]
}

function reasonOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") {
    const expected: Record<string, string> = {
      array: "a list",
      boolean: "true or false",
      int: "a whole number",
      number: "a number",
      record: "a map of names to values",
      object: "a map of keys to values",
      string: "text",
    }
    return `must be ${expected[issue.expected] ?? issue.expected}`
  }
  if (issue.code === "invalid_value") return `must be one of ${issue.values.join(", ")}`
  if (issue.code === "invalid_key") return issue.issues[0]?.message ?? "is no name"
  return /^(?:must|may|needs|is) /.test(issue.message)
    ? issue.message
    : `is not valid: ${issue.message}`
}
