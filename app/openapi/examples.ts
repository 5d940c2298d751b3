/** One call of an operation and its answer, as JSON. */
type Example = {
  readonly parameters?: Readonly<Record<string, string | number>>
  readonly body?: object
  /** Of a 200; of a redirect, where it leads. */
  readonly answer: unknown
}

/** By operation id. */
export type Examples = Readonly<Record<string, Example>>
