/** A local process cannot start. `message` says what to do next. */
export class ProcessStartError extends Error {
  override name = "ProcessStartError"
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
