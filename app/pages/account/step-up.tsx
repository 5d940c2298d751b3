import { Providers } from "../entry/sign-in.tsx"
import { field } from "../fields.ts"
import { defineForm, Form } from "../form.tsx"
import { goAfter } from "../outcome.ts"
import type { Page } from "../page.ts"

const passwordForm = defineForm({
  act: "password",
  button: (words) => words.continue,
  fields: { password: field.password },
  send: ({ api, returnTo }, given) =>
    goAfter(api.auth.stepUp(given), returnTo ?? "/account", "proven"),
})

/** Where the API sent somebody who is to show again that it is them; afterwards they are back at what they did. */
export const stepUpPage: Page = {
  path: "/account/step-up",
  audience: "member",
  title: (words) => words.stepUp,
  show: (visit) => {
    const ways = (visit.query.get("ways") ?? "password").split(" ")
    return (
      <>
        <p>{visit.words.stepUpText}</p>
        {ways.includes("password") && <Form visit={visit} form={passwordForm} />}
        {ways.includes("sign-in") && <Providers visit={visit} asks />}
      </>
    )
  },
  forms: [passwordForm],
}
