import { existsSync, readFileSync, statSync } from "node:fs"

import { Failure } from "../base/failure.ts"

/**
 * The text of a file; undefined if there is none.
 * @throws Failure COMMAND_FAILED for a folder, which another repository is, too
 */
export function readText(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  if (statSync(path).isDirectory()) throw new Failure("COMMAND_FAILED", `${path} is a folder.`)
  return readFileSync(path, "utf8")
}
