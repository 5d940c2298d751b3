import { createHash } from "node:crypto"

import type { Remote } from "./network.ts"

const host = "api.pwnedpasswords.com"

/** Stands in for the list of leaked passwords, which a test may make answer something else. */
export function createLeaks(...leaked: string[]) {
  const requests: Request[] = []
  const state: { remote?: Remote | undefined } = {}
  const remote: Remote = async (request) => {
    requests.push(request.clone())
    if (state.remote !== undefined) return state.remote(request)
    const prefix = new URL(request.url).pathname.split("/").at(-1) ?? ""
    const hashes = leaked.map(hashOf).filter((hash) => hash.startsWith(prefix))
    return new Response(hashes.map((hash) => `${hash.slice(5)}:3`).join("\r\n"))
  }
  return {
    host,
    remote,
    asked: requests,
    answers: (replacement: Remote | undefined) => {
      state.remote = replacement
    },
    bindings: { BREACHED_PASSWORDS: "refuse" },
  }
}

/** The SHA-1 of a password in capital hexadecimal digits. */
export function hashOf(password: string) {
  return createHash("sha1").update(password).digest("hex").toUpperCase()
}
