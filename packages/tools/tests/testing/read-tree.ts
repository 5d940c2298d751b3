import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** Every file below a directory, as one text. */
export function readTree(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1"))
    .join("\n")
}
