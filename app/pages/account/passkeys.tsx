import { field } from "../fields.ts"
import { defineForm, Form, type Page } from "../form.tsx"
import { List, When } from "../list.tsx"
import { unwrap, goAfter } from "../outcome.ts"
import { attestation, attestationOf, PasskeyForm } from "../passkey.tsx"
import { Unremovable } from "../refusal.tsx"
import { Obstacle } from "../send-again.tsx"
import type { Visit } from "../visit.ts"

const path = "/account/passkeys"

/** The API's limit of passkeys for each member. */
const most = 20

const addForm = defineForm({
  act: "add",
  passkey: "add",
  button: (words) => words.addPasskey,
  fields: {
    name: { is: "text", label: (words) => words.passkeyName },
    ...attestation,
  },
  send: ({ api }, { name, ...values }) =>
    goAfter(api.auth.passkeyAdd({ name, passkey: attestationOf(values) }), path, "saved"),
})

const renameForm = defineForm({
  act: "rename",
  button: (words) => words.save,
  fields: { passkeyId: field.hidden, name: { is: "text", label: (words) => words.passkeyName } },
  send: ({ api }, values) => goAfter(api.user.renamePasskey(values), path, "saved"),
})

const removeForm = defineForm({
  act: "remove",
  button: (words) => words.remove,
  isDestructive: true,
  confirmation: (words) => words.confirmations.passkey,
  fields: { passkeyId: field.hidden },
  send: ({ api }, values) => goAfter(api.user.removePasskey(values), path, "passkey"),
})

/** Returns the code with which the API would refuse another passkey, before a device creates one. */
function obstacleOf({ session, settings }: Visit, count: number) {
  if (!settings.passkeys) return "PASSKEYS_OFF"
  if (session?.user.emailVerified === false) return "EMAIL_NOT_VERIFIED"
  return count >= most ? "TOO_MANY_PASSKEYS" : undefined
}

export const passkeysPage: Page = {
  path,
  audience: "member",
  parent: "/account/security",
  title: (words) => words.passkeys,
  show: async (visit) => {
    const { words, api } = visit
    const { passkeys, acceptedPasskeys: accepted } = await unwrap(api.user.listWays())
    const obstacle = obstacleOf(visit, passkeys.length)
    return (
      <>
        <p>{words.passkeysText}</p>
        <List
          visit={visit}
          items={passkeys}
          row={({ id: passkeyId, name, createdAt, usedAt, removal }) => (
            <>
              <span>
                {name}
                <small>
                  {words.added}: <When visit={visit} at={createdAt} />
                </small>
                {usedAt !== null && (
                  <small>
                    {words.passkeyUsed}: <When visit={visit} at={usedAt} hasTime />
                  </small>
                )}
                {removal !== "allowed" && <Unremovable removal={removal} visit={visit} />}
              </span>
              <details>
                <summary>{words.rename}</summary>
                <Form visit={visit} form={renameForm} values={{ passkeyId, name }} />
              </details>
              {removal === "allowed" && (
                <Form visit={visit} form={removeForm} values={{ passkeyId }} about={name} />
              )}
            </>
          )}
        />
        {obstacle === undefined ? (
          <PasskeyForm visit={visit} form={addForm} accepted={accepted} />
        ) : (
          <Obstacle visit={visit} code={obstacle} />
        )}
      </>
    )
  },
  forms: [addForm, renameForm, removeForm],
}
