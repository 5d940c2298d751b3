import { randomBytes } from "node:crypto"
import { chmodSync, existsSync, readFileSync } from "node:fs"

import { writeAtomically } from "./file.ts"

/** The bearer token of a state directory: 43 characters, made once. */
export function openToken(file: string): string {
  if (!existsSync(file)) writeAtomically(file, randomBytes(32).toString("base64url"))
  chmodSync(file, 0o600)
  return readFileSync(file, "utf8").trim()
}
