import { relative } from "node:path"

import { Failure } from "../failure.ts"
import type { Migration } from "../files/migration-files.ts"
import type { Project } from "./project.ts"

/** Where a file stands that is given by its name or its path. @throws USAGE listing the names */
export function positionOf(files: Migration[], given: string, { folder }: Project): number {
  const path = relative(folder.directory, given)
  const at = files.findIndex(({ name }) => name === given || name === path)
  if (at >= 0) return at
  const names = files.map(({ name }) => `\n  ${name}`).join("")
  throw new Failure("USAGE", `${given} is none of the files:${names}`)
}
