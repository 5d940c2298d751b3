import { readFileSync } from "node:fs"
import { join } from "node:path"

import { Failure, messageOf } from "../../base/failure.ts"
import { project } from "../../environment/project/own-project.ts"

/** Reads the rows for a rehearsal, from a file such as a backup, or else from the project's own file. */
export function readRows(root: string, file?: string): string {
  const path = file ?? (project.rows === undefined ? undefined : join(root, project.rows))
  if (path === undefined) return ""
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    // An older branch may not have the project's file.
    if (file === undefined) return ""
    throw new Failure("USAGE", `${path} cannot be read: ${messageOf(error)}`, { cause: error })
  }
}
