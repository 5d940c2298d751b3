import { Field, Form } from "../form.tsx"
import { Notice } from "../layout.tsx"
import { Go, goAfter } from "../outcome.ts"
import type { Page } from "../page.ts"

const forgotten: Page = {
  path: "/forgotten",
  audience: "anyone",
  title: (words) => words.forgotten,
  show: (visit) => {
    const { words } = visit
    return (
      <>
        <Form visit={visit} act="send" button={words.sendLink}>
          <p>{words.forgottenText}</p>
          <Field
            visit={visit}
            act="send"
            name="email"
            type="email"
            label={words.email}
            autocomplete="username"
          />
        </Form>
        <p>
          <a href={visit.onward("/sign-in")}>{words.signIn}</a>
        </p>
      </>
    )
  },
  acts: {
    send: (visit) =>
      goAfter(
        visit.api.auth.requestPasswordReset({
          email: visit.field("email"),
        }),
        visit.onward("/forgotten"),
        "letter",
      ),
  },
}

/** Where the letter's link leads. Its token goes into a cookie: no history and no referrer keeps it. */
const reset: Page = {
  path: "/reset-password",
  audience: "anyone",
  title: (words) => words.reset,
  show: (visit) => {
    const { words, query } = visit
    const token = query.get("token")
    if (token !== null) {
      visit.write("link_token", token)
      return new Go(visit.onward("/reset-password"))
    }
    if (query.has("error") || !visit.read("link_token")) {
      const to = visit.onward("/forgotten")
      return <Notice text={words.badLinkText} to={to} link={words.sendLink} />
    }
    return (
      <Form visit={visit} act="reset" button={words.save}>
        <p>{words.resetText}</p>
        <Field
          visit={visit}
          act="reset"
          name="newPassword"
          type="password"
          label={words.newPassword}
          autocomplete="new-password"
          hint={words.passwordHint}
        />
      </Form>
    )
  },
  acts: {
    reset: async (visit) => {
      const { error } = await visit.api.auth.resetPassword({
        newPassword: visit.field("newPassword"),
        token: visit.read("link_token") ?? "",
      })
      if (error !== undefined && error.code !== "INVALID_TOKEN") return error
      visit.write("link_token", "")
      if (error !== undefined) return new Go(visit.onward("/reset-password?error=INVALID_TOKEN"))
      return new Go(visit.onward("/sign-in"), "password")
    },
  },
}

export const resetPages = [forgotten, reset]
