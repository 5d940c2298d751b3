/** One call of an operation, as JSON. */
type Example = {
  parameters?: Readonly<Record<string, string | number>>
  body?: object
  /** Body of a 200, or location of a redirect. */
  answer: unknown
}

/** By operation id. */
export type Examples = Readonly<Record<string, Example>>
