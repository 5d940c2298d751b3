/** Facts for handlers, by code: handlers do not parse messages. */
export type FailureFacts = {
  /** The files or the arguments are invalid. */
  USAGE: undefined
  /** The command cannot be carried out; the message says what to do. */
  COMMAND_FAILED: undefined
  /** The database's API responded with an error, or not at all. */
  API_FAILED: {
    /** True if no response proves a rejection: the request may have been applied. */
    lost: boolean
    /** The HTTP status. */
    status?: number | undefined
    /** True if the response is Cloudflare's envelope, not a proxy's page. */
    readable?: boolean | undefined
    /** Cloudflare's error code. */
    code?: number | undefined
    /** Seconds that Cloudflare asks to wait. */
    retryAfter?: number | undefined
  }
  /** Pending migrations would lose rows without declaring it; none of them was sent. */
  MIGRATION_REFUSED: undefined
  /** A migration failed; earlier migrations are applied. */
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

/** Narrows an error to one code. Checks the shape, because adapters may throw their own classes. */
export function isFailure<Code extends keyof FailureFacts>(
  error: unknown,
  code: Code,
): error is Error & { code: Code; facts: FailureFacts[Code] } {
  return error instanceof Error && "code" in error && error.code === code
}

/** Returns the message of the error that `act` throws; undefined if it throws none. */
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
