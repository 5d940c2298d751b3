import { field } from "../fields.ts"
import { defineForm, Form, type Page } from "../form.tsx"
import { List, When } from "../list.tsx"
import { unwrap, goAfter } from "../outcome.ts"
import type { Words } from "../words/en.ts"

const path = "/account/devices"

const endForm = defineForm({
  act: "end",
  button: (words) => words.signOut,
  fields: { token: field.hidden },
  send: ({ api }, { token }) => goAfter(api.auth.revokeSession({ token }), path, "revoke_sessions"),
})

const othersForm = defineForm({
  act: "others",
  button: (words) => words.endOthers,
  isDestructive: true,
  skipsProof: true,
  confirmation: (words) => words.confirmations.others,
  fields: {},
  send: ({ api }) => goAfter(api.auth.revokeOtherSessions(), path, "revoke_sessions"),
})

const nameForm = defineForm({
  act: "name",
  button: (words) => words.save,
  fields: {
    id: field.hidden,
    name: { is: "text", label: (words) => words.deviceName, isOptional: true },
  },
  send: ({ api }, { id: sessionId, name }) =>
    goAfter(api.user.renameSession({ sessionId, name: name.trim() || null }), path, "saved"),
})

type Device = { browser: string | null; system: string | null }

/** Names a device, such as "Firefox on Linux", or whichever part is known. */
export function deviceName({ browser, system }: Device, words: Words) {
  if (browser !== null && system !== null) return words.on(browser, system)
  return browser ?? system ?? words.unknownDevice
}

export const devicesPage: Page = {
  path,
  audience: "member",
  parent: "/account/security",
  title: (words) => words.devices,
  show: async (visit) => {
    const { words, api, session } = visit
    const sessions = await unwrap(api.auth.listSessions())
    const current = sessions.filter(({ id }) => id === session?.session.id)
    const rest = sessions.filter((entry) => !current.includes(entry))
    return (
      <>
        <List
          visit={visit}
          items={[...current, ...rest]}
          row={({ id, token, device, name, createdAt }) => {
            const label = deviceName(device, words)
            return (
              <>
                <span>
                  {name ?? label}{" "}
                  {id === session?.session.id && <span class="tag on">{words.thisDevice}</span>}
                  <small>
                    {name && `${label}, `}
                    {words.signedInAt}: <When visit={visit} at={createdAt} hasTime />
                  </small>
                </span>
                <details>
                  <summary>{words.nameDevice}</summary>
                  <Form visit={visit} form={nameForm} values={{ id, name: name ?? "" }} />
                </details>
                {id !== session?.session.id && (
                  <Form visit={visit} form={endForm} values={{ token }} />
                )}
              </>
            )
          }}
        />
        {sessions.length > 1 && (
          <Form visit={visit} form={othersForm} about={words.otherDevices(rest.length)} />
        )}
      </>
    )
  },
  forms: [endForm, othersForm, nameForm],
}
