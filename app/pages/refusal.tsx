import type { Fields } from "./fields.ts"
import type { Problem } from "./outcome.ts"
import type { Visit } from "./visit.ts"

/** Fields of a refusal without issues, by code. The refusal is shown at the first one in the form. */
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

/** Returns the name of the first field in the refusal's issues. */
function namedIn({ issues = [] }: Problem) {
  return issues.flatMap(({ path: [name] }) => (typeof name === "string" ? [name] : []))[0]
}

/** Returns the sentence for a refusal. */
function explain(problem: Problem, { words, settings }: Visit) {
  const { code, retryAfter, reason } = problem
  if (code === "TOO_MANY_REQUESTS" || code === "TOO_MANY_ATTEMPTS") {
    return words.tooMany(retryAfter ?? 60)
  }
  if (reason !== undefined && Object.hasOwn(words.suspended, reason)) {
    return `${textIn(words.suspended, reason)} ${words.askOperator}`
  }
  if (code === "INVALID_EMAIL_OR_PASSWORD" && !settings.verifyEmail) return words.wrongPassword
  // A provider's redirect has `account_suspended` instead of ACCOUNT_SUSPENDED.
  const text = textIn(words.codes, code) ?? textIn(words.codes, code.toUpperCase())
  if (text !== undefined) return text
  const field = namedIn(problem)
  return field === undefined
    ? words.codes.other
    : (textIn(words.fields, field) ?? words.fields.other)
}

/** Returns the field at which a refusal is shown; undefined: above the form. */
export function fieldOf(problem: Problem, fields: Fields) {
  const field = namedIn(problem)
  const names = field === undefined ? (fieldsOfCode[problem.code] ?? []) : [field]
  return names.find((name) => Object.hasOwn(fields, name) && fields[name]?.is !== "hidden")
}

/** Links the page that adds another sign-in method. On that page itself, links the page above it. */
function otherMethods({ path, words }: Visit): [string, string] {
  return path === "/account/ways"
    ? ["/account/security", words.security]
    : ["/account/ways", words.ways]
}

/** Maps an error code to the page that resolves the refusal, and to the text of its link. */
const steps: Record<string, (visit: Visit) => [string | undefined, string]> = {
  ACCOUNT_SUSPENDED: ({ settings, words }) => [settings.look.links?.support, words.links.support],
  EMAIL_NOT_VERIFIED: ({ words }) => ["/verify/again", words.sendAgain],
  // The sign-in page has a button instead, because it knows the address.
  INVALID_EMAIL_OR_PASSWORD: ({ path, refused, words }) => [
    path === "/sign-in" && refused !== undefined ? undefined : "/verify/again",
    words.sendAgain,
  ],
  SECOND_FACTOR_OFF: ({ words }) => ["/account/second-factor?app=yes", words.setUpApp],
  SECOND_FACTOR_MANDATORY: ({ words }) => ["/account/second-factor?app=yes", words.anotherApp],
  LAST_WAY: otherMethods,
  FAILED_TO_UNLINK_LAST_ACCOUNT: otherMethods,
  CREDENTIAL_ACCOUNT_NOT_FOUND: ({ words }) => ["/account/password", words.changePassword],
  LAST_OWNER: ({ words }) => ["/admin", words.members],
  ALREADY_UNLOCKED: ({ words }) => ["/account/payments", words.payments],
  PAYMENT_REQUIRED: ({ words }) => ["/account/payments", words.payments],
  PLAN_LIMIT_REACHED: ({ words }) => ["/account/plan", words.plan],
  INVALID_TOKEN: ({ words }) => ["/verify/again", words.sendAgain],
  TOKEN_EXPIRED: ({ words }) => ["/verify/again", words.sendAgain],
  SESSION_CHANGED: ({ here, words }) => [here(), words.lookAgain],
  TOO_MANY_PASSKEYS: ({ words }) => ["/account/passkeys", words.passkeys],
  SECOND_FACTOR_MISSING: ({ words }) => ["/account/second-factor", words.secondFactor],
  ACCOUNT_NOT_LINKED: ({ session, onward, path, words }) =>
    session !== null
      ? ["/sign-out", words.signOut]
      : [path === "/sign-in" ? undefined : onward("/sign-in"), words.signIn],
  STEP_EXPIRED: ({ onward, words }) => [onward("/sign-in"), words.signIn],
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: ({ onward, words }) => [onward("/sign-in"), words.signIn],
}

/** Maps the reasons against a removal to the API's error codes. */
const removalCodes: Record<string, string> = {
  last_method: "LAST_WAY",
  required_factor: "SECOND_FACTOR_MANDATORY",
}

/** Explains why a method cannot be removed, with a link to add another method. */
export function Unremovable({ removal, visit }: { removal: string; visit: Visit }) {
  const code = removalCodes[removal] ?? "other"
  const [to, text] = steps[code]?.(visit) ?? []
  return (
    <small>
      {explain({ code }, visit)} {to !== undefined && <a href={to}>{text}</a>}
    </small>
  )
}

type RefusalProps = { problem: Problem; visit: Visit; id?: string }

/** Renders a refusal with the link to its next step. */
export function Refusal({ problem, visit, id }: RefusalProps) {
  const code = problem.code.toUpperCase()
  const [to, text] = Object.hasOwn(steps, code) ? (steps[code]?.(visit) ?? []) : []
  return (
    <p class="bad" role="alert" {...(id && { id })}>
      {explain(problem, visit)} {to !== undefined && <a href={to}>{text}</a>}
    </p>
  )
}

/** Explains why a sign-in with a provider failed. */
export function Failure({ visit }: { visit: Visit }) {
  const { error: code, reason } = visit.message
  return code === undefined ? null : <Refusal problem={{ code, reason }} visit={visit} />
}
