/** The process can't start; `message` says what to do next. */
export class StartFailure extends Error {
  override name = "StartFailure"
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
