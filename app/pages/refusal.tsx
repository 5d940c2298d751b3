import type { Fields } from "./fields.ts"
import type { Problem } from "./outcome.ts"
import type { Visit } from "./visit.ts"
import type { Words } from "./words/en.ts"

/** The fields that a refusal without issues is about; it stands at the first one that the form has. */
const fieldsOfCode: Record<string, string[]> = {
  INVALID_PASSWORD: ["currentPassword", "password"],
  EMAIL_NOT_VERIFIED: ["newEmail"],
  EMAIL_TAKEN: ["newEmail"],
  INVALID_CODE: ["code", "recoveryCode", "emailCode"],
  INVITATION_REQUIRED: ["email"],
  MISSING: ["sure"],
  RESERVED_ADDRESS: ["email", "newEmail"],
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: ["email"],
}

function textIn(texts: Record<string, string>, key: string) {
  return Object.hasOwn(texts, key) ? texts[key] : undefined
}

/** The field that the API names. */
function namedIn({ issues = [] }: Problem) {
  return issues.flatMap(({ path: [name] }) => (typeof name === "string" ? [name] : []))[0]
}

/** What a refusal is called: as a whole, or at its fields. */
function explain(problem: Problem, words: Words) {
  const { code, retryAfter, reason } = problem
  if (code === "TOO_MANY_REQUESTS" || code === "TOO_MANY_ATTEMPTS") {
    return words.tooMany(retryAfter ?? 60)
  }
  if (reason !== undefined && Object.hasOwn(words.suspended, reason)) {
    return `${textIn(words.suspended, reason)} ${words.askOperator}`
  }
  // A provider's return says `account_suspended` where an operation says ACCOUNT_SUSPENDED.
  const text = textIn(words.codes, code) ?? textIn(words.codes, code.toUpperCase())
  if (text !== undefined) return text
  const field = namedIn(problem)
  return field === undefined
    ? words.codes.other
    : (textIn(words.fields, field) ?? words.fields.other)
}

/** At which field of a form a refusal stands; above the form where it is about none of them. */
export function fieldOf(problem: Problem, fields: Fields) {
  const named = namedIn(problem)
  const names = named === undefined ? (fieldsOfCode[problem.code] ?? []) : [named]
  return names.find((name) => Object.hasOwn(fields, name) && fields[name]?.is !== "hidden")
}

type RefusalProps = { problem: Problem; words: Words; id?: string }

export function Refusal({ problem, words, id }: RefusalProps) {
  return (
    <p class="bad" role="alert" {...(id && { id })}>
      {explain(problem, words)}
    </p>
  )
}

/** Why a provider sent the browser back. */
export function Failure({ visit: { query, words } }: { visit: Visit }) {
  const code = query.get("error")
  if (code === null) return null
  const reason = query.get("reason") ?? undefined
  return <Refusal problem={{ code, reason }} words={words} />
}
