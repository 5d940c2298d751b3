import { type Change, changesBetween } from "./changes.ts"

export type Difference = Change & {
  /** The rule that requires it, or why it cannot be otherwise; undefined: somebody should know why. */
  required: string | undefined
}

type Side = { name: string; text: string }

/** Facts that two environments may never share, by the rule that says so. */
const required: [section: string, key: RegExp, rule: string][] = [
  ["names", /^(?:stack|environment)$/, "R06"],
  ["names", /^(?:database|worker)$/, "R26"],
  ["reach", /^(?:api|web)$/, "R24"],
  ["reach", /^zone$/, "R11"],
  ["reach", /^route /, "R25"],
  ["browser", /^cookie |^session cookie reaches$/, "R07"],
  ["browser", /^origin /, "R24"],
  ["browser", /^callback of /, "R24"],
  ["bindings", /^(?:AUTH_URL|WEB_URL|AUTH_TRUSTED_ORIGIN)$/, "R24"],
  ["bindings", /^AUTH_COOKIE_DOMAIN$/, "R07"],
  ["bindings", /^(?:DB|LIMIT_.*)$/, "R26"],
  ["bindings", /^ENVIRONMENT$/, "R06"],
  ["secrets", /./, "R41"],
  ["others", /^(?:salt of the passphrase|encrypted key)$/, "R41"],
]

/** What one environment says otherwise than the other. */
export function compareEnvironments(one: Side, other: Side): Difference[] {
  return changesBetween(one.text, other.text).map((change) => ({
    section: change.section,
    key: change.key,
    before: change.before,
    after: change.after,
    required: reasonOf(change),
  }))
}

function reasonOf({ section, key, before, after }: Change): string | undefined {
  // A binding, a secret or a header that only one of them has is required by nothing.
  const oneSided = before === undefined || after === undefined
  const byNature = /^(?:cookie|origin|route) /.test(key)
  if (oneSided && !byNature) return undefined
  return required.find(([where, what]) => where === section && what.test(key))?.[2]
}
