import { type AnyFailure, createClient } from "@accounts-stack/client"

import { element, fill, onClick, onSubmit, show } from "./page.ts"

/** Set by what bundles this file. */
declare const apiUrl: string

const accounts = createClient({ url: apiUrl })
const { origin, pathname, searchParams } = new URL(window.location.href)

onSubmit("sign-up", async ({ name, email, password }) => {
  // The e-mail's link leads here once the address is verified.
  const callbackURL = `${origin}/verified`
  const pages = { callbackURL, errorCallbackURL: `${origin}/` }
  const { error } = await accounts.auth.signUpEmail({ name, email, password, ...pages })
  if (error) return explain(error)
  return say("Signed up. The email that we have sent you verifies your address.")
})

onSubmit("sign-in", async ({ email, password }) => {
  const { error } = await accounts.auth.signInEmail({ email, password })
  if (error?.code === "INVALID_EMAIL_OR_PASSWORD") {
    return say("Wrong email or password, or you have not opened the link in our email yet.")
  }
  if (error?.code === "TOO_MANY_ATTEMPTS" || error?.code === "TOO_MANY_REQUESTS") {
    return say(`Too many attempts: try again in ${error.retryAfter ?? 60} seconds.`)
  }
  return error ? explain(error) : say("")
})

onClick("provider", () => {
  // A page to open, not a request to send.
  window.location.href = accounts.auth.signInWithProvider({
    provider: "idp",
    callbackURL: `${origin}/`,
    errorCallbackURL: `${origin}/`,
  })
})

onSubmit("forgotten", async ({ email }) => {
  // Without it, the link leads to the service's own pages where it has some.
  const redirectTo = `${origin}/reset-password`
  const { error } = await accounts.auth.requestPasswordReset({ email, redirectTo })
  return error ? explain(error) : say("If there is an account, an email is on its way.")
})

onSubmit("new-password", async ({ newPassword }) => {
  const token = searchParams.get("token") ?? ""
  const { error } = await accounts.auth.resetPassword({ newPassword, token })
  if (error) return explain(error)
  window.history.replaceState(null, "", "/")
  element("new-password").hidden = true
  return say("Your password has been changed.")
})

onSubmit("prove", ({ password }) => verify({ password }))
onSubmit("claim", ({ newPassword }) => verify({ newPassword }))

/** The link of the e-mail was opened in another browser than the one that signed up. */
async function verify(passwords: { password: string } | { newPassword: string }) {
  const token = searchParams.get("token") ?? ""
  const { error } = await accounts.auth.verifyEmailWithPassword({ token, ...passwords })
  if (error) return explain(error)
  window.history.replaceState(null, "", "/")
  element("unproven").hidden = true
  return say("Your address is verified.")
}

onSubmit("profile", async ({ name }) => {
  const { error } = await accounts.user.updateProfile({ name })
  return error ? explain(error) : say("Saved.")
})

onClick("sign-out", async () => {
  const { error } = await accounts.auth.signOut()
  return error ? explain(error) : say("")
})

/** Shows who is signed in, whichever tab has changed it. */
accounts.session.subscribe(() => {
  const { session, error } = accounts.session.get()
  if (error) explain(error)
  if (session === undefined) return
  show("status", session ? `Signed in as ${session.user.name}` : "Signed out")
  element("signed-in").hidden = session === null
  element("signed-out").hidden = session !== null
  fill("profile", "name", session?.user.name ?? "")
})

function say(message: string) {
  show("alert", message)
}

/** The user stays signed in, and does not need to hear of a database. */
const unavailable = "We cannot answer just now. Nothing is lost: try again in a moment."

function explain({ code, message, issues = [] }: AnyFailure) {
  if (code === "UNAVAILABLE") return say(unavailable)
  const fields = issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`)
  say([message, ...fields].join("\n"))
}

/* The pages that e-mails and identity providers lead to: all of them are this one. */
const failed = searchParams.get("error")
const notes: Record<string, string> = { "/verified": "Your address is verified." }
const mustProve = failed === "PASSWORD_REQUIRED"
const failure = failed === "unavailable" ? unavailable : `That did not work: ${failed}`
say((failed === null || mustProve ? notes[pathname] : failure) ?? "")
if (mustProve) say("You did not sign up in this browser.")
element("unproven").hidden = !mustProve
element("new-password").hidden = pathname !== "/reset-password" || failed !== null
