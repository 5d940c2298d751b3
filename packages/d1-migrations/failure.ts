/** Facts for handlers, which read no message, by code. */
export type FailureFacts = {
  /** The files or what was asked for are wrong. */
  USAGE: undefined
  /** The command cannot be carried out; the message says what to do. */
  COMMAND_FAILED: undefined
  /** The database's API said no, or nothing. */
  API_FAILED: {
    /** True when no answer says that the request was refused: it may have been applied. */
    lost: boolean
    /** Of HTTP. */
    status?: number | undefined
    /** True when the answer is Cloudflare's envelope, not a page of something in between. */
    readable?: boolean | undefined
    /** Cloudflare's own. */
    code?: number | undefined
    /** Seconds that Cloudflare asks to wait. */
    retryAfter?: number | undefined
  }
  /** Pending migrations would take rows that they do not mean; none of them was sent. */
  MIGRATION_REFUSED: undefined
  /** A migration failed; those before it are applied. */
  MIGRATION_FAILED: { applied: { name: string; sha256?: string | undefined }[] }
}

/** A failure that the user can correct. Handlers switch on `code`, never on the message. */
export class Failure<Code extends keyof FailureFacts> extends Error {
  override name = "Failure"
  readonly code: Code
  readonly facts: FailureFacts[Code] | undefined

  constructor(
    code: Code,
    message: string,
    options: ErrorOptions & { facts?: FailureFacts[Code] } = {},
  ) {
    super(message, options)
    this.code = code
    this.facts = options.facts
  }
}

/** Narrows to one code. An adapter may throw a class of its own, of the same shape. */
export function isFailure<Code extends keyof FailureFacts>(
  error: unknown,
  code: Code,
): error is Error & { code: Code; facts: FailureFacts[Code] } {
  return error instanceof Error && "code" in error && error.code === code
}

/** Why something fails; undefined when it does not. */
export function failureOf(act: () => unknown): string | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Writes `1 row` or `2 rows`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`
}
