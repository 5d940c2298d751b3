import { Providers } from "../entry/sign-in.tsx"
import { field } from "../fields.ts"
import { defineForm, Form, type Page } from "../form.tsx"
import { Go, goAfter } from "../outcome.ts"
import { assertion, assertionOf, PasskeyForm } from "../passkey.tsx"
import type { Visit } from "../visit.ts"

type Shown = Parameters<Visit["api"]["auth"]["stepUp"]>[0]

function show({ api, returnTo }: Visit, lenient: Shown) {
  return goAfter(api.auth.stepUp(lenient), returnTo ?? "/account", "proven")
}

const passwordForm = defineForm({
  act: "password",
  button: (words) => words.continue,
  fields: { password: field.password },
  send: show,
})

const passkeyForm = defineForm({
  act: "passkey",
  passkey: "step-up",
  button: (words) => words.byPasskey,
  fields: assertion,
  send: (visit, values) => show(visit, { passkey: assertionOf(values) }),
})

const codeForm = defineForm({
  act: "code",
  button: (words) => words.continue,
  fields: { code: field.appCode },
  send: show,
})

const recoveryForm = defineForm({
  act: "recovery",
  button: (words) => words.continue,
  fields: { recoveryCode: field.recoveryCode },
  send: show,
})

const sendForm = defineForm({
  act: "send",
  button: (words) => words.sendCode,
  fields: {},
  send: async ({ api, here }) => {
    const { error } = await api.auth.stepUpBegin()
    return error ?? new Go(here({ sent: "yes" }))
  },
})

const emailForm = defineForm({
  act: "email",
  button: (words) => words.continue,
  fields: { emailCode: field.code },
  send: show,
})

/** The proof that the API demands of a member (STEP_UP_REQUIRED); afterwards they return to the page of their act. */
export const stepUpPage: Page = {
  path: "/account/step-up",
  audience: "member",
  isProof: true,
  title: (words) => words.stepUp,
  show: (visit) => {
    const ways = (visit.query.get("ways") ?? "password").split(" ")
    if (ways.includes("")) return <p>{visit.words.factorLocked}</p>
    return (
      <>
        <p>{visit.words.stepUpText}</p>
        {ways.includes("passkey") && <PasskeyForm visit={visit} form={passkeyForm} />}
        {ways.includes("totp") && <Form visit={visit} form={codeForm} />}
        {ways.includes("recovery") && <Form visit={visit} form={recoveryForm} />}
        {ways.includes("password") && <Form visit={visit} form={passwordForm} />}
        {ways.includes("email") && (
          <Form visit={visit} form={visit.query.has("sent") ? emailForm : sendForm} />
        )}
        {ways.includes("sign-in") && <Providers visit={visit} asks />}
      </>
    )
  },
  forms: [passkeyForm, codeForm, recoveryForm, passwordForm, sendForm, emailForm],
}
