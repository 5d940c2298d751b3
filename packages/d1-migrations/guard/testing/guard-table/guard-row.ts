/**
 * A thing that the request with a file guards, leaves out, compares or excuses, with the code that does it
 * and an example that goes wrong without. `rules.md` lists these rows, and `guard-table.soak.test.ts`
 * removes the code of each.
 */
export type GuardRow = {
  does: "guards" | "leaves out" | "compares" | "excuses"
  what: string
  /** A file of the package, code that it contains once, and the code that replaces it. */
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
