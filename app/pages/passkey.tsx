import type { Child } from "hono/jsx"

import { field, type Values } from "./fields.ts"
import { Form, type PageForm } from "./form.tsx"
import type { Visit } from "./visit.ts"

/** Hidden fields for an authenticator's assertion, with the response's own names. */
export const assertion = {
  id: field.hidden,
  clientDataJSON: field.hidden,
  authenticatorData: field.hidden,
  signature: field.hidden,
  userHandle: field.hidden,
}

export function assertionOf({ id, ...response }: Values<typeof assertion>) {
  return { id, rawId: id, type: "public-key" as const, response }
}

/** Hidden fields for an authenticator's attestation. */
export const attestation = {
  id: field.hidden,
  clientDataJSON: field.hidden,
  attestationObject: field.hidden,
  transports: field.hidden,
}

export function attestationOf({ id, transports, ...response }: Values<typeof attestation>) {
  const list = transports === "" ? [] : transports.split(",")
  const { clientDataJSON, attestationObject } = response
  const answer = { clientDataJSON, attestationObject, transports: list }
  return { id, rawId: id, type: "public-key" as const, response: answer }
}

type Props = {
  visit: Visit
  form: PageForm
  values?: Record<string, string>
  children?: Child
  /** Input of `signalAllAcceptedCredentials`. */
  accepted?: object | null
}

/** Renders the form whose button asks the device for a passkey, or a sentence if scripts are off. */
export function PasskeyForm({ visit, form, values = {}, children, accepted = null }: Props) {
  const { settings, words } = visit
  if (!settings.passkeys) return null
  const unknown = visit.refused?.problem.unknownCredential
  return (
    <>
      <Form visit={visit} form={form} values={values}>
        {children}
        <p class="bad" role="alert" hidden data-when="NotAllowedError">
          {words.passkeyCancelled}
        </p>
        <p class="bad" role="alert" hidden data-when="InvalidStateError">
          {words.passkeyExists}
        </p>
        <p class="bad" role="alert" hidden data-when="">
          {words.passkeyFailed}
        </p>
      </Form>
      <p
        class="soft"
        {...(accepted && { "data-accepted": JSON.stringify(accepted) })}
        {...(unknown && { "data-unknown": JSON.stringify(unknown) })}
      >
        {words.passkeysNeed}
      </p>
    </>
  )
}
