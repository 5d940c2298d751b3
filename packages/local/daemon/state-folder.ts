import { chmodSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"

import { writeAtomically } from "./atomic-write.ts"
import { acquireLock } from "./lock.ts"
import { openToken } from "./token.ts"

export type StateFolder = ReturnType<typeof openStateFolder>

/**
 * The folder of one process in the state directory: `lock`, `token` and, while the process answers,
 * `endpoint.json`. Only its owner can read it.
 *
 * @throws ProcessStartError STATE_LOCKED
 */
export function openStateFolder(directory: string) {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  chmodSync(directory, 0o700)
  const lock = acquireLock(join(directory, "lock"))
  const endpointFile = join(directory, "endpoint.json")
  const withdraw = () => rmSync(endpointFile, { force: true })
  // A killed process leaves its endpoint behind, which must not pass for the endpoint of this one.
  withdraw()
  return {
    directory,
    token: openToken(join(directory, "token")),
    publish: (endpoint: unknown) => writeAtomically(endpointFile, `${JSON.stringify(endpoint)}\n`),
    withdraw,
    release: () => lock.release(),
  }
}
