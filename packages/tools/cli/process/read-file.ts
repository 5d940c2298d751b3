import { readFileSync } from "node:fs"

/** The content of a file, or undefined if it does not exist. Safe while another process removes it. */
export function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
    throw error
  }
}
