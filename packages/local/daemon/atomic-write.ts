import { randomUUID } from "node:crypto"
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs"
import { dirname } from "node:path"

/** Mode 0600. Readers see the old content or the new, even after a power cut. */
export function writeAtomically(file: string, content: string | Uint8Array) {
  const temporary = `${file}.${randomUUID()}.tmp`
  const descriptor = openSync(temporary, "wx", 0o600)
  try {
    const bytes = Buffer.from(content)
    for (let written = 0; written < bytes.length;) {
      written += writeSync(descriptor, bytes, written)
    }
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(temporary, file)
  syncDirectory(dirname(file))
}

function syncDirectory(directory: string) {
  if (process.platform === "win32") return
  const descriptor = openSync(directory, "r")
  fsyncSync(descriptor)
  closeSync(descriptor)
}
