import { Field, Form, Tick } from "../form.tsx"
import { given, goAfter } from "../outcome.ts"
import type { Page } from "../page.ts"

export const passwordPage: Page = {
  path: "/account/password",
  audience: "member",
  isInMenu: true,
  title: (words) => words.changePassword,
  show: async (visit) => {
    const { words, api } = visit
    const ways = await given(api.auth.listAccounts())
    if (!ways.some(({ providerId }) => providerId === "credential")) {
      return (
        <Form visit={visit} act="send" button={words.sendLink}>
          <p>{words.noPassword}</p>
        </Form>
      )
    }
    return (
      <Form visit={visit} act="change" button={words.save}>
        <Field
          visit={visit}
          act="change"
          name="currentPassword"
          type="password"
          label={words.currentPassword}
          autocomplete="current-password"
        />
        <Field
          visit={visit}
          act="change"
          name="newPassword"
          type="password"
          label={words.newPassword}
          autocomplete="new-password"
          hint={words.passwordHint}
        />
        <Tick name="others" label={words.others} isOn />
      </Form>
    )
  },
  acts: {
    change: (visit) =>
      goAfter(
        visit.api.auth.changePassword({
          currentPassword: visit.field("currentPassword"),
          newPassword: visit.field("newPassword"),
          revokeOtherSessions: visit.has("others"),
        }),
        "/account/password",
        "changed",
      ),
    send: (visit) =>
      goAfter(
        visit.api.auth.requestPasswordReset({ email: visit.session?.user.email ?? "" }),
        "/account/password",
        "letter",
      ),
  },
}
