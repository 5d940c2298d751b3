import { readFileSync } from "node:fs"
import { join } from "node:path"

import { Failure, messageOf } from "../../base/failure.ts"
import { project } from "../../environment/project/own-project.ts"

/** The rows for a rehearsal: those of a file, such as a backup, or those that the project gives. */
export function readRows(root: string, file?: string): string {
  const path = file ?? (project.rows === undefined ? undefined : join(root, project.rows))
  if (path === undefined) return ""
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    // A branch from before may have no such file.
    if (file === undefined) return ""
    throw new Failure("USAGE", `${path} cannot be read: ${messageOf(error)}`, { cause: error })
  }
}
