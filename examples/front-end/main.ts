import { createClient } from "@accounts/client"

import { element, fill, onClick, onSubmit, say } from "./page.ts"

/** Set by what bundles this file. */
declare const apiUrl: string

const accounts = createClient({ url: apiUrl })
const { origin, pathname, searchParams } = new URL(window.location.href)

onSubmit("sign-up", async ({ name, email, password }) => {
  // The e-mail's link leads here once the address is verified.
  const callbackURL = `${origin}/verified`
  const { error } = await accounts.auth.signUpEmail({ name, email, password, callbackURL })
  if (error) return explain(error)
  return show("Signed up. The e-mail that we have sent you verifies your address.")
})

onSubmit("sign-in", async ({ email, password }) => {
  const { error } = await accounts.auth.signInEmail({ email, password })
  if (error?.code === "INVALID_EMAIL_OR_PASSWORD") {
    return say("Wrong e-mail or password, or you have not opened the link in our e-mail yet.")
  }
  if (error?.code === "TOO_MANY_ATTEMPTS" || error?.code === "TOO_MANY_REQUESTS") {
    return say(`Too many attempts: try again in ${error.retryAfter ?? 60} seconds.`)
  }
  return error ? explain(error) : show()
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
  const { error } = await accounts.auth.requestPasswordReset({ email })
  return error ? explain(error) : say("If there is an account, an e-mail is on its way.")
})

onSubmit("new-password", async ({ newPassword }) => {
  const token = searchParams.get("token") ?? ""
  const { error } = await accounts.auth.resetPassword({ newPassword, token })
  if (error) return explain(error)
  window.history.replaceState(null, "", "/")
  element("new-password").hidden = true
  return show("Your password has been changed.")
})

onSubmit("prove", ({ password }) => verify({ password }))
onSubmit("claim", ({ newPassword }) => verify({ newPassword }))

/** The link of the e-mail was opened in another browser than the one that signed up. */
async function verify(given: { password: string } | { newPassword: string }) {
  const token = searchParams.get("token") ?? ""
  const { error } = await accounts.auth.verifyEmailWithPassword({ token, ...given })
  if (error) return explain(error)
  window.history.replaceState(null, "", "/")
  element("unproven").hidden = true
  return show("Your address is verified.")
}

onSubmit("profile", async ({ name }) => {
  const { error } = await accounts.user.updateProfile({ name })
  return error ? explain(error) : show("Saved.")
})

onClick("sign-out", async () => {
  const { error } = await accounts.auth.signOut()
  return error ? explain(error) : show()
})

/** Shows who is signed in, and a message about what has just happened. */
async function show(message = "") {
  const { data, error } = await accounts.auth.getSession()
  if (error) return explain(error)
  say(message, data ? `Signed in as ${data.user.name}` : "Signed out")
  element("signed-in").hidden = data === null
  element("signed-out").hidden = data !== null
  fill("profile", "name", data?.user.name ?? "")
  return undefined
}

type Explained = {
  code: string
  message: string
  issues?: { path: (string | number)[]; message: string }[]
}

/** Whoever is signed in stays so, and need not hear of a database. */
const unavailable = "We cannot answer just now. Nothing is lost: try again in a moment."

function explain({ code, message, issues = [] }: Explained) {
  if (code === "UNAVAILABLE") return say(unavailable)
  const fields = issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`)
  say([message, ...fields].join("\n"))
}

/* The pages that e-mails and identity providers lead to: all of them are this one. */
const failed = searchParams.get("error")
const notes: Record<string, string> = { "/verified": "Your address is verified." }
const mustProve = failed === "PASSWORD_REQUIRED"
const failure = failed === "unavailable" ? unavailable : `That did not work: ${failed}`
await show(failed === null || mustProve ? notes[pathname] : failure)
if (mustProve) say("You did not sign up in this browser.")
element("unproven").hidden = !mustProve
element("new-password").hidden = pathname !== "/reset-password" || failed !== null
