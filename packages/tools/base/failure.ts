/** Facts that a handler needs beside the message, by code. */
export type FailureFacts = {
  /** A command cannot go on; its message says what to do. */
  COMMAND_FAILED: undefined
  /** The command line itself is wrong. */
  USAGE: undefined
  INTERRUPTED: undefined
  /** Another run holds what this one needs. It may be done in a moment. */
  LOCKED: undefined
  /** Cloudflare's API said no, or nothing. */
  API_FAILED: {
    /** True when no answer says that the request was refused: it may have been applied. */
    lost: boolean
    status?: number | undefined
    /** True when the answer is Cloudflare's envelope, not a page of something in between. */
    readable?: boolean | undefined
    /** Cloudflare's own code: for words, as hardly any is documented. */
    code?: number | undefined
    /** Seconds that Cloudflare asks to wait. */
    retryAfter?: number | undefined
  }
  /** Nothing came from Cloudflare's API for long, so the engine was ended. It had said this. */
  UNANSWERED: { events: unknown[] }
  /** Pending migrations would take rows that they do not mean; none of them was sent. */
  MIGRATION_REFUSED: undefined
  /** A migration failed; those before it are applied. */
  MIGRATION_FAILED: { applied: { name: string; sha256?: string | undefined }[] }
}

export type FailureCode = keyof FailureFacts

/** Codes that say everything by themselves. */
type PlainCode = {
  [Code in FailureCode]: FailureFacts[Code] extends undefined ? Code : never
}[FailureCode]

/**
 * An error that the user can fix: shown as its message, without a stack trace. Handlers switch on `code`,
 * never on the message.
 */
export class Failure<Code extends FailureCode = FailureCode> extends Error {
  /** Errors of `@accounts-stack/d1-migrations` have their own class, with codes and facts of this table. */
  static override [Symbol.hasInstance](error: unknown): boolean {
    return error instanceof Error && error.name === "Failure"
  }

  override name = "Failure"
  readonly code: Code
  readonly facts: FailureFacts[Code] | undefined

  constructor(code: Code & PlainCode, message: string, options?: ErrorOptions)
  constructor(code: Code, message: string, options: ErrorOptions & { facts: FailureFacts[Code] })
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

/** Narrows to one code, and so to its facts. */
export function isFailure<Code extends FailureCode>(
  error: unknown,
  code: Code,
): error is Failure<Code> & { facts: FailureFacts[Code] } {
  return error instanceof Failure && error.code === code
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
