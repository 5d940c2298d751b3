import { Email } from "../../service/platform/mail/email-address.ts"
import { field } from "../fields.ts"
import { defineForm, Form, type Page } from "../form.tsx"
import { Go } from "../outcome.ts"
import type { Visit } from "../visit.ts"
import { goAfterFirst } from "./second-factor.tsx"

const path = "/sign-in/code"

/** Requests an email with a code, and continues to the page where the code is entered. */
async function ask(visit: Visit, { email }: { email: string }) {
  const { error } = await visit.api.auth.signInCodeBegin({ email })
  const query = new URLSearchParams({ to: email.trim() }).toString()
  return error ?? new Go(visit.onward(`${path}?${query}`))
}

const askForm = defineForm({
  act: "ask",
  button: (words) => words.sendCode,
  fields: { email: field.email },
  send: ask,
})

const enterForm = defineForm({
  act: "sign-in",
  button: (words) => words.signIn,
  fields: { code: field.code, stay: field.stay },
  send: (visit, { code, stay }) =>
    goAfterFirst(visit, visit.api.auth.signInCode({ code, rememberMe: stay })),
})

const againForm = defineForm({
  act: "again",
  button: (words) => words.anotherCode,
  isSecondary: true,
  fields: { email: field.hidden },
  send: ask,
})

export const codePage: Page = {
  path,
  audience: "anyone",
  title: (words) => words.signInByCode,
  show: (visit) => {
    const { words, session, query, settings } = visit
    if (session !== null) return new Go(visit.goal)
    if (!settings.emailCode) return new Go(visit.onward("/sign-in"))
    const { data: email } = Email.safeParse(query.get("to"))
    const otherMethods = (
      <p>
        <a href={visit.onward("/sign-in")}>{words.otherWays}</a>
      </p>
    )
    if (email === undefined) {
      return (
        <>
          <Form visit={visit} form={askForm}>
            <p>{words.byCodeText}</p>
          </Form>
          {otherMethods}
        </>
      )
    }
    return (
      <>
        <Form visit={visit} form={enterForm}>
          <p>
            <strong>{email}</strong>
          </p>
          <p>{words.signInCodeText}</p>
        </Form>
        <Form visit={visit} form={againForm} values={{ email }} />
        {otherMethods}
      </>
    )
  },
  forms: [askForm, enterForm, againForm],
}
