import { field } from "../fields.ts"
import { defineForm, Form } from "../form.tsx"
import { given, goAfter } from "../outcome.ts"
import type { Page } from "../page.ts"
import { When } from "../when.tsx"
import { deviceName } from "./device-name.ts"

const path = "/account/devices"

const endForm = defineForm({
  act: "end",
  button: (words) => words.signOut,
  fields: { token: field.hidden },
  send: ({ api }, { token }) => goAfter(api.auth.revokeSession({ token }), path, "changed"),
})

const othersForm = defineForm({
  act: "others",
  button: (words) => words.endOthers,
  isGrave: true,
  fields: {},
  send: ({ api }) => goAfter(api.auth.revokeOtherSessions(), path, "changed"),
})

export const devicesPage: Page = {
  path,
  audience: "member",
  isInMenu: true,
  title: (words) => words.devices,
  show: async (visit) => {
    const { words, api, session } = visit
    const sessions = await given(api.auth.listSessions())
    const own = sessions.filter(({ id }) => id === session?.session.id)
    const others = sessions.filter((one) => !own.includes(one))
    return (
      <>
        <ul class="rows">
          {[...own, ...others].map(({ id, token, userAgent, createdAt }) => {
            const name = deviceName(userAgent, words)
            return (
              <li>
                <span>
                  {name}{" "}
                  {id === session?.session.id && <span class="tag on">{words.thisDevice}</span>}
                  <small>
                    {words.lastUsed}: <When visit={visit} at={createdAt} hasTime />
                  </small>
                </span>
                {id !== session?.session.id && (
                  <Form visit={visit} form={endForm} values={{ token }} />
                )}
              </li>
            )
          })}
        </ul>
        {sessions.length > 1 && <Form visit={visit} form={othersForm} />}
      </>
    )
  },
  forms: [endForm, othersForm],
}
