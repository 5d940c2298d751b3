import { permanent, type Readable } from "../stack-keys.ts"

/** The path of a value in the `config` of a stack file, such as `["accounts:trustedOrigins", 1]`. */
export type Path = (string | number)[]

/** Keys whose values are encrypted one by one. */
export const sealedKeys = new Set(["accounts:secrets", "accounts:trialHeaders"])

export type Found = {
  path: Path
  /** The problem, as the second half of a sentence that begins with the key. */
  reason: string
  /** Replaces the rule's own fix if a better fix is known. */
  fix?: string
  /** Text that an acceptance by name must contain. */
  value?: string
}

/** The content of one stack file; a value that cannot be read is left out. */
export type Described<Own extends object = object> = {
  stack: string
  /** Name of the file, for messages. */
  label: string
  environment: Readable<Own>
  baseUrl: string
  /** Ciphertexts by path, such as `accounts:secrets.AUTH_SECRET`. */
  seals: Record<string, string>
  /** Whether the encrypted secrets were decrypted, as in the engine. */
  opened: boolean
}

export type Subject<Own extends object = object> = Described<Own> & {
  /** Every key of `config`; encrypted values are placeholders. */
  values: Record<string, unknown>
  /** Problems of the file outside its `config`. */
  broken: Found[]
  /** Values in plain text that must be encrypted; undefined if that is unknown. */
  unsealed: Path[] | undefined
  /** Whether Pulumi ESC adds values that are not in the file. */
  imports: boolean
  /** Whether the file is in `environments/`, so that its neighbours are known. */
  committed: boolean
  neighbours: Described<Own>[]
}

export type Rule<Own extends object = object> = {
  id: string
  /** Statement that is true if the rule finds nothing. */
  message: string
  fix: string
  /**
   * How `accounts:accept` can accept a finding: with a reason, or with a reason that contains the value, so
   * that another value is found again. Undefined if it cannot.
   */
  accept?: "with a reason" | "by name"
  /** Undefined if the rule applies to every file. */
  applies?(subject: Subject<Own>): boolean
  check(subject: Subject<Own>, rules: Rule[]): Found[]
}

export function checkRule(rule: Rule, subject: Subject, rules: Rule[]): Found[] {
  return rule.applies?.(subject) === false ? [] : rule.check(subject, rules)
}

/** Whether the environment is permanent, and not a test's. */
export function lasting({ environment }: Subject): boolean {
  return permanent(environment) && !environment.fixture
}

/** Makes a finding at one key; none if there is no reason. */
export function at(key: string, reason: string | false | undefined): Found[] {
  return reason ? [{ path: [key], reason }] : []
}

/** Lists every text in a value, with its path. */
export function textsIn(value: unknown, path: Path): { path: Path; text: string }[] {
  if (typeof value === "string") return [{ path, text: value }]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    textsIn(inner, [...path, Array.isArray(value) ? Number(name) : name]),
  )
}
