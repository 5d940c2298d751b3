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
  const signedIn = session.get().session
  if (signedIn === undefined) return
  show("status", signedIn === null ? "Signed out" : `Signed in as ${signedIn.user.name}`)
  lead(
    first,
    signedIn === null ? "/sign-in" : "/account",
    signedIn === null ? "Sign in" : "Your account",
  )
  lead(
    second,
    signedIn === null ? "/sign-up" : "/sign-out",
    signedIn === null ? "Sign up" : "Sign out",
  )
})
