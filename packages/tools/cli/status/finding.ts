/** What one look at a deployed environment found. */
export type Found = {
  /** `unknown` could not be looked at; `skipped` has nothing to look at here. */
  state: "ok" | "wrong" | "unknown" | "skipped"
  found: string
  /** The command that ends it, or says more. */
  next?: string
}

/** `what` was looked at, such as `drift: Worker accounts`. */
export type Finding = Found & { what: string }

/** Whether somebody has to do something. */
export function needsAttention({ state }: Found): boolean {
  return state === "wrong" || state === "unknown"
}
