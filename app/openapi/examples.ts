/** One call of an operation and its answer, as JSON. */
type Example = {
  parameters?: Readonly<Record<string, string | number>>
  body?: object
  /** Of a 200; of a redirect, where it leads. */
  answer: unknown
}

/** By operation id. */
export type Examples = Readonly<Record<string, Example>>
