/** Begins the error of a request that the row guard failed. */
const mark = "row guard: "
/** Begins it if the database changed after the file was judged. */
export const momentMark = "judged on: "

type Refusal = { what: string; from: string; when: string }

/**
 * A SELECT that fails with a message of its own, and so undoes the request: SQLite's `json_extract`
 * refuses a path that does not begin with `$` and quotes it in its error (`bad JSON path: …`, json.c,
 * jsonBadPathError). `RAISE` works only in triggers, and D1 has no function that fails on purpose.
 * Before the first file each run sees the database refuse and undo such a request: `proveAtomicity`.
 */
export function raiseIf(refusal: Refusal): string {
  return `${selectFailure(refusal)};`
}

/** Builds the same for use in another statement; NULL or no row if nothing is refused. */
export function selectFailure({ what, from, when }: Refusal, by = mark): string {
  return `SELECT json_extract('{}', '${by}' || ${what}) FROM ${from} WHERE ${when}`
}

/** Returns the guard's message in the error of a failed request; undefined if it was not the guard. */
export function guardMessage(error: string, by = mark): string | undefined {
  const [, text = ""] = error.split(`bad JSON path: '${by}`)
  return /^((?:[^']|'')+)'/.exec(text)?.[1]?.replaceAll("''", "'")
}
