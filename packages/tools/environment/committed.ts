import { join } from "node:path"

import { root } from "../base/root.ts"
import { type EnvironmentFile, listEnvironments } from "./subject.ts"

export const environmentsDirectory = join(root, "environments")

/** The environments of this checkout. */
export function committedEnvironments(): EnvironmentFile[] {
  return listEnvironments(environmentsDirectory, "environments")
}
