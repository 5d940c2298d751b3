/** Belongs to this tab and to this port alone, unlike a cookie, which every port of a host gets. */
const name = "console-key"

/** Nobody is signed in, or no longer. */
export class SignedOut extends Error {}

export function signedIn() {
  return sessionStorage.getItem(name) !== null
}

/** Trades the code of a link for a session. @returns {Promise<string | undefined>} why it did not work */
export async function enterByLink() {
  const code = new URLSearchParams(location.hash.slice(1)).get("sign-in")
  if (code === null) return undefined
  // Before anything else: the code must not stay in the address or the history.
  history.replaceState(null, "", "/")
  const response = await fetch("/local/console/session", {
    method: "POST",
    body: JSON.stringify({ code }),
  })
  const answer = await response.json()
  if (!response.ok) return signedIn() ? undefined : answer.errors[0].message
  sessionStorage.setItem(name, answer.key)
  return undefined
}

export async function leave() {
  await fetch("/local/console/session", { method: "DELETE", headers: authorization() }).catch(
    () => {},
  )
  sessionStorage.removeItem(name)
}

function authorization() {
  return { authorization: `Bearer ${sessionStorage.getItem(name)}` }
}

/**
 * @param {string} path
 * @param {AbortSignal} [signal]
 * @throws {SignedOut}
 */
export async function ask(path, signal) {
  const response = await fetch(path, { headers: authorization(), signal: signal ?? null })
  if (response.status === 403) {
    sessionStorage.removeItem(name)
    throw new SignedOut(
      "This session has ended: the local Cloudflare was started again, or it is too old.",
    )
  }
  return response
}

/** @param {string} path */
export async function read(path) {
  const response = await ask(path)
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.errors?.[0]?.message ?? `${path}: ${response.status}`)
  return answer
}
