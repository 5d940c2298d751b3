/** Facts that a handler needs besides the message, by code. */
export type FailureFacts = {
  /** A command cannot continue; its message says what to do. */
  COMMAND_FAILED: undefined
  /** The command line itself is wrong. */
  USAGE: undefined
  INTERRUPTED: undefined
  /** Another run holds a lock that this run needs. A retry may soon succeed. */
  LOCKED: undefined
  /** Cloudflare's API refused a request or did not respond. */
  API_FAILED: {
    /** True when no response refused the request, so that it may have been applied. */
    lost: boolean
    status?: number | undefined
    /** True when the response is Cloudflare's envelope, not a page of a proxy. */
    readable?: boolean | undefined
    /** Cloudflare's own code. Only for messages, because few codes are documented. */
    code?: number | undefined
    /** Seconds that Cloudflare asks to wait. */
    retryAfter?: number | undefined
  }
  /** Cloudflare's API did not respond for long, so the engine was ended. `events` is its output until then. */
  UNANSWERED: { events: unknown[] }
  /** Pending migrations would delete rows by accident; none of them was sent. */
  MIGRATION_REFUSED: undefined
  /** A migration failed; all earlier migrations are applied. */
  MIGRATION_FAILED: { applied: { name: string; sha256?: string | undefined }[] }
}

export type FailureCode = keyof FailureFacts

/** Codes without facts. */
type PlainCode = {
  [Code in FailureCode]: FailureFacts[Code] extends undefined ? Code : never
}[FailureCode]

/**
 * An error that the user can fix: shown as its message, without a stack trace. Handlers switch on `code`,
 * never on the message.
 */
export class Failure<Code extends FailureCode = FailureCode> extends Error {
  /** Compares names, because `@accounts-stack/d1-migrations` has its own class with the same codes and facts. */
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
