/**
 * What the request with a file guards, leaves out, compares and excuses: each row with the code that
 * does it, and what goes wrong without. `rules.md` has the rows, and `guard-table.soak.test.ts` takes
 * the code of each away.
 */
export type GuardRow = {
  does: "guards" | "leaves out" | "compares" | "excuses"
  what: string
  /** A file of the package, what stands in it once, and what stands there instead. */
  file: string
  code: string
  without: string
} & (
  | {
      /** A file of `apply/testing/real-rows`: then applied though it takes something, or stopped though it takes nothing. */
      example: string
      sql?: never
    }
  | {
      /** A script with which not one statement more is sent; then there are some. */
      sql: string
      example?: never
    }
)
