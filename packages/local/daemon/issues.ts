import type * as z from "zod"

/** Every problem of an input in one line, each after the path of its field. */
export function describeIssues(error: z.ZodError, prefix = ""): string {
  return error.issues
    .map(({ path, message }) =>
      path.length === 0 ? message : `${prefix}${path.join(".")}: ${message}`,
    )
    .join("; ")
}
