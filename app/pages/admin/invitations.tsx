import { field } from "../fields.ts"
import { defineForm, Form, type Page } from "../form.tsx"
import { List, searched, When } from "../list.tsx"
import { unwrap, goAfter } from "../outcome.ts"

const path = "/admin/invitations"

const inviteForm = defineForm({
  act: "invite",
  button: (words) => words.invite,
  fields: { email: { ...field.email, autocomplete: "off" } },
  send: ({ api }, values) => goAfter(api.admin.inviteUser(values), path, "invited"),
})

const revokeForm = defineForm({
  act: "revoke",
  button: (words) => words.withdraw,
  isDestructive: true,
  confirmation: (words) => words.confirmations.invitation,
  fields: { invitationId: field.hidden },
  send: ({ api }, values) => goAfter(api.admin.revokeInvitation(values), path, "revoke_invitation"),
})

/** Lists invitations without their links, which only the emails contain. */
export const invitationsPage: Page = {
  path,
  audience: "admin",
  isInMenu: true,
  title: (words) => words.invitations,
  show: async (visit) => {
    const { words, api, settings } = visit
    const invitations = await unwrap(api.admin.listInvitations(searched(visit, {})))
    return (
      <>
        {settings.signUp === "closed" ? (
          <p class="note">{words.codes.SIGN_UP_CLOSED}</p>
        ) : (
          <Form visit={visit} form={inviteForm}>
            <p>{words.invitationsText}</p>
          </Form>
        )}
        <List
          visit={visit}
          {...invitations}
          none={words.noInvitations}
          row={({ id, email, invitedBy, expiresAt }) => (
            <>
              <span>
                {email}
                <small>
                  {words.until} <When visit={visit} at={expiresAt} hasTime />,{" "}
                  <a href={`/admin/members/${invitedBy}`}>{words.invitedBy}</a>
                </small>
              </span>
              <Form visit={visit} form={revokeForm} values={{ invitationId: id }} about={email} />
            </>
          )}
        />
      </>
    )
  },
  forms: [inviteForm, revokeForm],
}
