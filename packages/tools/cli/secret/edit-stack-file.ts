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

/** A holder that has not touched its lock for this long was killed (ms). */
const stale = 10_000
const retries = { retries: 240, factor: 1, minTimeout: 500, maxTimeout: 500 }

/**
 * Changes a stack file, one operator after another, and replaces it as a whole: whoever is killed
 * half-way leaves the file as it was. `change` may take as long as the engine needs; it is made again
 * of a file that somebody else has changed meanwhile.
 */
export async function editStackFile(
  path: string,
  change: (document: Document) => void | Promise<void>,
): Promise<void> {
  // The file itself, where the path is a link to it.
  const file = realpathSync(path)
  const release = await lock(file, { stale, retries })
  try {
    for (;;) {
      const before = readFileSync(file, "utf8")
      const document = parseDocument(before)
      await change(document)
      // An editor knows nothing of the lock, and two waiters may take a stale one at once.
      if (readFileSync(file, "utf8") !== before) continue
      replaceFile(file, document.toString({ lineWidth: 0 }))
      return
    }
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
