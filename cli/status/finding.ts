/** What one look at a deployed environment found. */
export type Finding = {
  /** What was looked at, such as `drift: Worker accounts`. */
  what: string
  /** `unknown` could not be looked at; `skipped` has nothing to look at here. */
  state: "ok" | "wrong" | "unknown" | "skipped"
  found: string
  /** The command that ends it, or says more. */
  next?: string
}

export type Look = () => Promise<Finding[]>

/** Whether somebody has to do something. */
export function needsAttention({ state }: Finding): boolean {
  return state === "wrong" || state === "unknown"
}
