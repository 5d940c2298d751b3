import { Form, Hidden } from "../form.tsx"
import { given, goAfter } from "../outcome.ts"
import type { Page } from "../page.ts"
import { When } from "../when.tsx"
import { deviceName } from "./device-name.ts"

const path = "/account/devices"

export const devicesPage: Page = {
  path,
  audience: "member",
  isInMenu: true,
  title: (words) => words.devices,
  show: async (visit) => {
    const { words, api, session } = visit
    const sessions = await given(api.auth.listSessions())
    return (
      <>
        <ul class="rows">
          {sessions.map(({ id, token, userAgent, createdAt }) => {
            const name = deviceName(userAgent, words)
            return (
              <li>
                <span>
                  {name} {id === session?.session.id && <strong>({words.thisDevice})</strong>}
                  <small>
                    {words.lastUsed}: <When visit={visit} at={createdAt} hasTime />
                  </small>
                </span>
                {id !== session?.session.id && (
                  <Form visit={visit} act="end" button={words.signOut}>
                    <Hidden name="token" value={token} />
                  </Form>
                )}
              </li>
            )
          })}
        </ul>
        {sessions.length > 1 && (
          <Form visit={visit} act="others" button={words.endOthers} isGrave />
        )}
      </>
    )
  },
  acts: {
    end: (visit) =>
      goAfter(visit.api.auth.revokeSession({ token: visit.field("token") }), path, "changed"),
    others: (visit) => goAfter(visit.api.auth.revokeOtherSessions(), path, "changed"),
  },
}
