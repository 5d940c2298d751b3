import { Email } from "../../service/auth/email-address.ts"
import { field } from "../fields.ts"
import { defineForm, Form } from "../form.tsx"
import { Go } from "../outcome.ts"
import type { Page } from "../page.ts"
import type { Visit } from "../visit.ts"
import { goAfterFirst } from "./second-factor.tsx"

const path = "/sign-in/code"

/** The page that takes the code of a letter to the address. */
function typing(visit: Visit, email: string) {
  const to = visit.onward(`${path}?${new URLSearchParams({ to: email.trim() }).toString()}`)
  return new Go(to)
}

const askForm = defineForm({
  act: "ask",
  button: (words) => words.sendCode,
  fields: { email: field.email },
  send: async (visit, { email }) => {
    const { error } = await visit.api.auth.signInCodeBegin({ email })
    return error ?? typing(visit, email)
  },
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
  fields: { email: field.hidden },
  send: async (visit, { email }) => {
    const { error } = await visit.api.auth.signInCodeBegin({ email })
    return error ?? typing(visit, email)
  },
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
    const others = (
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
          {others}
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
        {others}
      </>
    )
  },
  forms: [askForm, enterForm, againForm],
}
