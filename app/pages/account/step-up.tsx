import { Providers } from "../entry/sign-in.tsx"
import { field } from "../fields.ts"
import { defineForm, Form, type Page } from "../form.tsx"
import { Go, goAfter } from "../outcome.ts"
import { assertion, assertionOf, PasskeyForm } from "../passkey.tsx"
import type { Visit } from "../visit.ts"

type Proof = Parameters<Visit["api"]["auth"]["stepUp"]>[0]

function submitProof({ api, returnTo }: Visit, proof: Proof) {
  return goAfter(api.auth.stepUp(proof), returnTo ?? "/account", "proven")
}

const passwordForm = defineForm({
  act: "password",
  button: (words) => words.continue,
  fields: { password: field.password },
  send: submitProof,
})

const passkeyForm = defineForm({
  act: "passkey",
  passkey: "step-up",
  button: (words) => words.byPasskey,
  fields: assertion,
  send: (visit, values) => submitProof(visit, { passkey: assertionOf(values) }),
})

const codeForm = defineForm({
  act: "code",
  button: (words) => words.continue,
  fields: { code: field.appCode },
  send: submitProof,
})

const recoveryForm = defineForm({
  act: "recovery",
  button: (words) => words.continue,
  fields: { recoveryCode: field.recoveryCode },
  send: submitProof,
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
  send: submitProof,
})

/** The step-up that the API demands (STEP_UP_REQUIRED); afterwards the member returns to the page that led here. */
export const stepUpPage: Page = {
  path: "/account/step-up",
  audience: "member",
  isProof: true,
  title: (words) => words.stepUp,
  show: (visit) => {
    const ways = (visit.query.get("ways") ?? "password").split(" ")
    // No method is left while wrong codes have locked the factor.
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
        {ways.includes("sign-in") && <Providers visit={visit} isProof />}
      </>
    )
  },
  forms: [passkeyForm, codeForm, recoveryForm, passwordForm, sendForm, emailForm],
}
