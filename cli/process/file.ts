import { readFileSync } from "node:fs"

/** The content of a file; undefined where there is none, even if there was one a moment ago. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
    throw error
  }
}

/** What a text says as JSON; undefined where it is none, as in a file that was being written. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
