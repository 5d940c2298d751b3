import { field } from "../fields.ts"
import { defineForm, Form } from "../form.tsx"
import { given, goAfter } from "../outcome.ts"
import type { Page } from "../page.ts"

const path = "/account/password"

const changeForm = defineForm({
  act: "change",
  button: (words) => words.save,
  fields: {
    currentPassword: field.currentPassword,
    newPassword: field.newPassword,
    others: { is: "tick", label: (words) => words.others, isOn: true },
  },
  send: ({ api }, { others: revokeOtherSessions, ...passwords }) =>
    goAfter(api.auth.changePassword({ ...passwords, revokeOtherSessions }), path, "changed"),
})

const sendForm = defineForm({
  act: "send",
  button: (words) => words.sendLink,
  fields: {},
  send: ({ api, session }) =>
    goAfter(api.auth.requestPasswordReset({ email: session?.user.email ?? "" }), path, "letter"),
})

export const passwordPage: Page = {
  path,
  audience: "member",
  isInMenu: true,
  title: (words) => words.changePassword,
  show: async (visit) => {
    const { words, api } = visit
    const ways = await given(api.auth.listAccounts())
    if (!ways.some(({ providerId }) => providerId === "credential")) {
      return (
        <Form visit={visit} form={sendForm}>
          <p>{words.noPassword}</p>
        </Form>
      )
    }
    return <Form visit={visit} form={changeForm} />
  },
  forms: [changeForm, sendForm],
}
