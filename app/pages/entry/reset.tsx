import { field } from "../fields.ts"
import { defineForm, Form, type Page } from "../form.tsx"
import { Notice } from "../layout.tsx"
import { Go, goAfter } from "../outcome.ts"

const sendForm = defineForm({
  act: "send",
  button: (words) => words.sendLink,
  fields: {
    email: field.email,
    turnstile: { is: "turnstile", action: "request-password-reset" },
  },
  send: (visit, values) => {
    visit.keepReturn()
    const answer = visit.api.auth.requestPasswordReset(values)
    return goAfter(answer, visit.onward("/forgotten"), "letter")
  },
})

const forgotten: Page = {
  path: "/forgotten",
  audience: "anyone",
  title: (words) => words.forgotten,
  show: (visit) => {
    const { words } = visit
    return (
      <>
        <Form visit={visit} form={sendForm}>
          <p>{words.forgottenText}</p>
        </Form>
        <p>
          <a href={visit.onward("/sign-in")}>{words.signIn}</a>
        </p>
      </>
    )
  },
  forms: [sendForm],
}

const resetForm = defineForm({
  act: "reset",
  button: (words) => words.save,
  fields: { newPassword: field.newPassword },
  send: async (visit, { newPassword }) => {
    const token = visit.read("link_token") ?? ""
    const { error } = await visit.api.auth.resetPassword({ newPassword, token })
    if (error !== undefined && error.code !== "INVALID_TOKEN") return error
    visit.write("link_token", "")
    if (error !== undefined) return new Go(visit.onward("/reset-password"))
    return new Go(visit.onward("/sign-in"), "password")
  },
})

/** The page of a reset link. A cookie stores the token, so that it stays out of the history and referrers. */
const reset: Page = {
  path: "/reset-password",
  audience: "anyone",
  title: (words) => words.reset,
  show: async (visit) => {
    const { words, query } = visit
    const token = query.get("token")
    if (token !== null) {
      visit.write("link_token", (await visit.isOpenReset(token)) ? token : "")
      return new Go(visit.onward("/reset-password"))
    }
    if (!visit.read("link_token")) {
      const to = visit.onward("/forgotten")
      return <Notice text={words.badLinkText} to={to} link={words.sendLink} />
    }
    return (
      <Form visit={visit} form={resetForm}>
        <p>{words.resetText}</p>
      </Form>
    )
  },
  forms: [resetForm],
}

export const resetPages = [forgotten, reset]
