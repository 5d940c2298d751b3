/** By these words a failed request shows that the row guard failed it. */
const mark = "accounts row guard: "

type Refusal = { what: string; from: string; when: string }

/**
 * A SELECT that fails with a message of its own, and so undoes the request: SQLite's `json_extract`
 * refuses a path that does not begin with `$` and quotes it in its error (`bad JSON path: …`, json.c,
 * jsonBadPathError). `RAISE` is for triggers alone, and D1 has no other function that fails by will.
 * Before the first file each run sees the database refuse and undo such a request: `proveAtomicity`.
 */
export function refuseWhen({ what, from, when }: Refusal): string {
  return `SELECT json_extract('{}', '${mark}' || ${what}) FROM ${from} WHERE ${when};`
}

/** What the guard said, in the error of a failed request; undefined when it was not the guard. */
export function guardMessage(error: string): string | undefined {
  const text = /bad JSON path: 'accounts row guard: ((?:[^']|'')*)'/.exec(error)?.[1]
  return text?.replaceAll("''", "'")
}
