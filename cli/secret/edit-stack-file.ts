import {
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"

import { lock } from "proper-lockfile"
import { type Document, parseDocument } from "yaml"

import { Failure } from "../../base/failure.ts"

/** A holder that has not touched its lock for this long was killed (ms). */
const stale = 10_000
const retries = { retries: 240, factor: 1, minTimeout: 500, maxTimeout: 500 }

/**
 * Changes a stack file, one operator after another, and replaces it as a whole: whoever is killed
 * half-way leaves the file as it was. `change` may take as long as the engine needs.
 */
export async function editStackFile(
  path: string,
  change: (document: Document) => void | Promise<void>,
): Promise<void> {
  // The file itself, where the path is a link to it.
  const file = realpathSync(path)
  const release = await lock(file, { stale, retries })
  try {
    const before = readFileSync(file, "utf8")
    const document = parseDocument(before)
    await change(document)
    // An editor knows nothing of the lock.
    if (readFileSync(file, "utf8") !== before) {
      throw new Failure(
        "COMMAND_FAILED",
        `${path} was changed by somebody else meanwhile. Nothing was written: run the command again.`,
      )
    }
    replaceFile(file, document.toString({ lineWidth: 0 }))
  } finally {
    await release()
  }
}

/** Whoever reads it meanwhile sees the former file or the next one. */
export function replaceFile(file: string, text: string): void {
  const draft = `${file}.${process.pid}`
  try {
    writeFileSync(draft, text, existsSync(file) ? { mode: statSync(file).mode } : {})
    renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}
