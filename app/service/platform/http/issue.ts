import * as z from "zod"

import { failures } from "./failure.ts"

/** An invalid field. The message is for people; the numbers are the limits that the value violates. */
export const Issue = z.object({
  path: z.array(z.union([z.string(), z.number()])),
  message: z.string(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
})

type Found = {
  path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined
  message: string
}

/** Converts the issues of a schema to the API's format. */
export function describeIssues(issues: readonly Found[]): z.infer<typeof Issue>[] {
  return issues.map(({ path = [], message, ...rest }) => ({
    path: path.map((segment) => {
      const key = typeof segment === "object" ? segment.key : segment
      return typeof key === "number" ? key : String(key)
    }),
    message,
    ...limitOf("minimum", rest),
    ...limitOf("maximum", rest),
  }))
}

function limitOf(name: "minimum" | "maximum", issue: object) {
  const limit: unknown = Reflect.get(issue, name)
  return typeof limit === "number" ? { [name]: limit } : {}
}

type Issues = z.infer<typeof Issue>[]

/** Creates the error for invalid fields. */
export function createFieldsError(issues: Issues) {
  const { message } = failures.BAD_REQUEST
  return { code: "BAD_REQUEST", message, data: { issues } } as const
}

/** Returns the issue of a link or redirect that is relative or leads to an untrusted origin. */
export function foreignPage(field: string, webUrl: string) {
  const message = `Must be an absolute URL of a trusted origin, such as ${webUrl}/`
  return { path: [field], message }
}

/** Returns the issue of a page that emails may not link to, even on a trusted origin. */
export function pageOfNoLetter(field: string, webUrl: string) {
  const message = `Must be ${webUrl}/ or exactly one of the pages in accounts:letterPages`
  return { path: [field], message }
}

const kinds: Record<string, string> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
}

const forms: Record<string, string> = {
  email: "an e-mail address",
  url: "a URL",
  datetime: "a time such as 2026-11-26T12:00:00Z",
  date: "a date such as 2026-11-26",
}

const units: Record<string, string> = { string: " characters", array: " entries" }

type Bound = { which: "at least" | "at most"; limit: unknown; origin: string }

function bounded({ which, limit, origin }: Bound) {
  if (which === "at least" && limit === 1 && origin in units) return "Must not be empty"
  return `Must ${origin in units ? "have" : "be"} ${which} ${String(limit)}${units[origin] ?? ""}`
}

/** Returns the message shown beside a field. A schema's own message takes precedence. */
export const sentenceOf: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === "invalid_type") {
    return issue.input === undefined
      ? "Is missing"
      : `Must be ${kinds[issue.expected] ?? "different"}`
  }
  if (issue.code === "too_small") {
    return bounded({ which: "at least", limit: issue.minimum, origin: issue.origin })
  }
  if (issue.code === "too_big") {
    return bounded({ which: "at most", limit: issue.maximum, origin: issue.origin })
  }
  if (issue.code === "invalid_format") return `Must be ${forms[issue.format] ?? "of another form"}`
  if (issue.code === "invalid_value") return `Must be ${issue.values.map(String).join(" or ")}`
  if (issue.code === "unrecognized_keys") return `Does not take ${issue.keys.join(", ")}`
  return "Is not valid"
}
