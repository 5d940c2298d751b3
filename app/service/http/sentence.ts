import type * as z from "zod"

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

/** What is wrong with a field, for a person who reads it beside the field. A schema's own words come first. */
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
