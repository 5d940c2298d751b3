/** By these words a failed request shows that the row guard failed it. */
const mark = "row guard: "
/** Or that the database was not at the moment for which it was made. */
export const momentMark = "judged moment: "

type Refusal = { what: string; from: string; when: string }

/**
 * A SELECT that fails with a message of its own, and so undoes the request: SQLite's `json_extract`
 * refuses a path that does not begin with `$` and quotes it in its error (`bad JSON path: …`, json.c,
 * jsonBadPathError). `RAISE` is for triggers alone, and D1 has no other function that fails by will.
 * Before the first file each run sees the database refuse and undo such a request: `proveAtomicity`.
 */
export function raiseIf(refusal: Refusal): string {
  return `${selectFailure(refusal)};`
}

/** The same within another statement; NULL or no row where nothing is refused. */
export function selectFailure({ what, from, when }: Refusal, by = mark): string {
  return `SELECT json_extract('{}', '${by}' || ${what}) FROM ${from} WHERE ${when}`
}

/** What the guard said, in the error of a failed request; undefined when it was not the guard. */
export function guardMessage(error: string, by = mark): string | undefined {
  const [, text = ""] = error.split(`bad JSON path: '${by}`)
  return /^((?:[^']|'')+)'/.exec(text)?.[1]?.replaceAll("''", "'")
}
