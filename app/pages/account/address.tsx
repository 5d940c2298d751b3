import { Email } from "../../service/platform/mail/email-address.ts"
import { field } from "../fields.ts"
import { defineForm, Form, type Page } from "../form.tsx"
import { Go, goAfter } from "../outcome.ts"

const path = "/account/address"

const askForm = defineForm({
  act: "ask",
  button: (words) => words.sendCode,
  fields: { newEmail: { is: "email", label: (words) => words.newEmail, autocomplete: "email" } },
  send: async ({ api }, { newEmail }) => {
    const { error } = await api.user.changeEmail({ newEmail })
    return error ?? new Go(`${path}?${new URLSearchParams({ to: newEmail.trim() }).toString()}`)
  },
})

const confirmForm = defineForm({
  act: "confirm",
  button: (words) => words.confirm,
  fields: { newEmail: field.hidden, code: field.code },
  send: ({ api }, { newEmail, code }) =>
    goAfter(api.user.confirmEmail({ newEmail, code }), path, "change_email"),
})

export const addressPage: Page = {
  path,
  audience: "member",
  parent: "/account",
  title: (words) => words.changeAddress,
  show: (visit) => {
    const { words, session, query } = visit
    const { data: newEmail } = Email.safeParse(query.get("to"))
    if (newEmail === undefined) {
      return (
        <Form visit={visit} form={askForm}>
          <p>
            <strong>{session?.user.email}</strong>
          </p>
          <p>{words.addressText}</p>
        </Form>
      )
    }
    return (
      <>
        <Form visit={visit} form={confirmForm} values={{ newEmail }}>
          <p>
            <strong>{newEmail}</strong>
          </p>
          <p>{words.codeText}</p>
        </Form>
        <p>
          <a href={path}>{words.otherAddress}</a>
        </p>
      </>
    )
  },
  forms: [askForm, confirmForm],
}
