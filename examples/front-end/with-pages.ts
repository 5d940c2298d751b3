import { createClient } from "@accounts-stack/client"

import { show } from "./page.ts"

/** Set by what bundles this file. */
declare const apiUrl: string

const { session } = createClient({ url: apiUrl })
const [first, second] = document.querySelectorAll("a")

/** Every form is at the service, which leads back to where its reader came from. */
function lead(link: HTMLAnchorElement | undefined, path: string, text: string) {
  if (link === undefined) return
  link.href = `${apiUrl}${path}?return=${encodeURIComponent(window.location.href)}`
  link.textContent = text
}

session.subscribe(() => {
  const known = session.get().session
  if (known === undefined) return
  show("status", known === null ? "Signed out" : `Signed in as ${known.user.name}`)
  lead(first, known === null ? "/sign-in" : "/account", known === null ? "Sign in" : "Your account")
  lead(second, known === null ? "/sign-up" : "/sign-out", known === null ? "Sign up" : "Sign out")
})
