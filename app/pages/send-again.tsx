import { field } from "./fields.ts"
import { defineForm, Form } from "./form.tsx"
import { goAfter } from "./outcome.ts"
import { Refusal } from "./refusal.tsx"
import type { Visit } from "./visit.ts"

/** Returns the page of an email's link, without anything that a stranger chose. */
export function pageOfLetter({ settings }: Visit) {
  return `${settings.url}/verify`
}

/** Sends another link to an address. */
export const againForm = defineForm({
  act: "again",
  button: (words) => words.sendAgain,
  fields: {
    email: { ...field.email, autocomplete: "email" },
    turnstile: { is: "turnstile", action: "send-verification-email" },
  },
  send: (visit, values) => {
    visit.keepReturn()
    const callbackURL = pageOfLetter(visit)
    const answer = visit.api.auth.sendVerificationEmail({ ...values, callbackURL })
    return goAfter(answer, visit.onward("/sign-up/sent"), "letter")
  },
})

/** The form as a button. If Turnstile is on, the page that it leads to asks for it. */
const buttonForm = { ...againForm, fields: { email: field.hidden } }

/** Renders a button that sends the link to a known address; a member returns to this page. */
export function SendAgain({ visit, email }: { visit: Visit; email: string }) {
  const { onward, session, settings, here } = visit
  const back = `/verify/again?${new URLSearchParams({ return: settings.url + here() }).toString()}`
  const at = session === null ? onward("/verify/again") : back
  return <Form visit={visit} form={buttonForm} values={{ email }} at={at} />
}

/** Explains why a page has no form, and what the member can do. */
export function Obstacle({ visit, code }: { visit: Visit; code: string }) {
  const { session, words } = visit
  if (code !== "EMAIL_NOT_VERIFIED") return <Refusal problem={{ code }} visit={visit} />
  return (
    <>
      <p class="note">{words.codes[code]}</p>
      <SendAgain visit={visit} email={session?.user.email ?? ""} />
    </>
  )
}
