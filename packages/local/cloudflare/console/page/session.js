/** In session storage, which belongs to this tab and port: a cookie is sent to every port of a host. */
const keyName = "console-key"

/** There is no valid session. */
export class SignedOut extends Error {}

export function isSignedIn() {
  return sessionStorage.getItem(keyName) !== null
}

/**
 * Exchanges the code in the address, if there is one, for a session.
 * @returns {Promise<string | undefined>} the reason when it failed
 */
export async function signInByLink() {
  const code = new URLSearchParams(location.hash.slice(1)).get("sign-in")
  if (code === null) return undefined
  // First of all: the code must not stay in the address bar or the history.
  history.replaceState(null, "", "/")
  const response = await fetch("/local/console/session", {
    method: "POST",
    body: JSON.stringify({ code }),
  })
  const answer = await response.json()
  if (!response.ok) return isSignedIn() ? undefined : answer.errors[0].message
  sessionStorage.setItem(keyName, answer.key)
  return undefined
}

export async function signOut() {
  await fetch("/local/console/session", { method: "DELETE", headers: authorization() }).catch(
    () => {},
  )
  sessionStorage.removeItem(keyName)
}

function authorization() {
  return { authorization: `Bearer ${sessionStorage.getItem(keyName)}` }
}

/**
 * @param {string} path
 * @param {AbortSignal} [signal]
 * @throws {SignedOut}
 */
export async function fetchWithSession(path, signal) {
  const response = await fetch(path, { headers: authorization(), signal: signal ?? null })
  if (response.status === 403) {
    sessionStorage.removeItem(keyName)
    throw new SignedOut("This session has expired, or the local Cloudflare was restarted.")
  }
  return response
}

/** @param {string} path */
export async function readJson(path) {
  const response = await fetchWithSession(path)
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.errors?.[0]?.message ?? `${path}: ${response.status}`)
  return answer
}
