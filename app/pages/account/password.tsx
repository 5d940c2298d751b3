import { field } from "../fields.ts"
import { defineForm, Form, type Page } from "../form.tsx"
import { unwrap, goAfter } from "../outcome.ts"

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
    goAfter(
      api.auth.changePassword({ ...passwords, revokeOtherSessions }),
      path,
      "change_password",
    ),
})

const setForm = defineForm({
  act: "set",
  button: (words) => words.save,
  fields: { newPassword: field.newPassword },
  send: ({ api }, values) => goAfter(api.auth.setPassword(values), path, "set_password"),
})

export const passwordPage: Page = {
  path,
  audience: "member",
  parent: "/account/security",
  title: (words) => words.changePassword,
  show: async (visit) => {
    const { words, api } = visit
    const { password: hasPassword } = await unwrap(api.user.listWays())
    if (!hasPassword) {
      return (
        <Form visit={visit} form={setForm}>
          <p>{words.noPassword}</p>
        </Form>
      )
    }
    return <Form visit={visit} form={changeForm} />
  },
  forms: [changeForm, setForm],
}
