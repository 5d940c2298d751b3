/** A local process cannot start. `message` says what to do next. */
export class ProcessStartError extends Error {
  override name = "ProcessStartError"
  readonly code: string
  /** Process id of what holds the state, where that is the reason. */
  readonly holder: number | undefined

  constructor(code: string, message: string, options: ErrorOptions & { holder?: number } = {}) {
    super(message, options)
    this.code = code
    this.holder = options.holder
  }
}
