import { Field, Form } from "../form.tsx"
import { Notice } from "../layout.tsx"
import { Go } from "../outcome.ts"
import type { Page } from "../page.ts"
import type { Visit } from "../visit.ts"
import { Providers } from "./sign-in.tsx"

/** Where a letter's link leads: nothing that a stranger chose comes with it. */
function pageOfLetter({ settings }: Visit) {
  return `${settings.url}/verify`
}

const signUp: Page = {
  path: "/sign-up",
  audience: "anyone",
  title: (words) => words.signUp,
  show: (visit) => {
    const { words, settings } = visit
    if (settings.signUp === "closed") {
      const to = visit.onward("/sign-in")
      return <Notice text={words.codes.SIGN_UP_CLOSED} to={to} link={words.signIn} />
    }
    return (
      <>
        {settings.passwords && (
          <Form visit={visit} act="sign-up" button={words.signUp}>
            <Field visit={visit} act="sign-up" name="name" label={words.name} autocomplete="name" />
            <Field
              visit={visit}
              act="sign-up"
              name="email"
              type="email"
              label={words.email}
              autocomplete="username"
            />
            <Field
              visit={visit}
              act="sign-up"
              name="password"
              type="password"
              label={words.password}
              autocomplete="new-password"
              hint={words.passwordHint}
            />
          </Form>
        )}
        <Providers visit={visit} />
        <p class="soft">
          {words.known} <a href={visit.onward("/sign-in")}>{words.signIn}</a>
        </p>
      </>
    )
  },
  acts: {
    "sign-up": async (visit) => {
      const invitation = visit.query.get("invitation")
      const { data, error } = await visit.api.auth.signUpEmail({
        name: visit.field("name"),
        email: visit.field("email"),
        password: visit.field("password"),
        callbackURL: pageOfLetter(visit),
        ...(invitation === null ? {} : { invitation }),
      })
      if (error !== undefined) return error
      return new Go(visit.onward(data.token === null ? "/sign-up/sent" : "/sign-in/back"))
    },
  },
}

const sent: Page = {
  path: "/sign-up/sent",
  audience: "anyone",
  title: (words) => words.sent,
  show: (visit) => (
    <>
      <p>{visit.words.sentText}</p>
      <SendAgain visit={visit} />
    </>
  ),
  acts: { again: sendAgain },
}

function SendAgain({ visit }: { visit: Visit }) {
  const { words } = visit
  return (
    <Form visit={visit} act="again" button={words.sendAgain}>
      <Field
        visit={visit}
        act="again"
        name="email"
        type="email"
        label={words.email}
        autocomplete="email"
      />
    </Form>
  )
}

async function sendAgain(visit: Visit) {
  const callbackURL = pageOfLetter(visit)
  const { error } = await visit.api.auth.sendVerificationEmail({
    email: visit.field("email"),
    callbackURL,
  })
  return error ?? new Go(visit.onward("/sign-up/sent"), "letter")
}

/** Where the letter's link leads, once the API has read it. */
const verify: Page = {
  path: "/verify",
  audience: "anyone",
  title: (words) => words.verified,
  show: (visit) => {
    const { query, words, session } = visit
    const token = query.get("token")
    if (query.get("error") === "PASSWORD_REQUIRED" && token !== null) {
      visit.write("link_token", token)
      return new Go(visit.onward("/verify/prove"))
    }
    if (query.has("error")) return new Go(visit.onward("/verify/again"))
    const to = session === null ? visit.onward("/sign-in") : (visit.returnTo ?? "/account")
    return (
      <>
        <p>{words.verifiedText}</p>
        <a class="button" href={to}>
          {words.continue}
        </a>
      </>
    )
  },
}

const again: Page = {
  path: "/verify/again",
  audience: "anyone",
  title: (words) => words.badLink,
  show: (visit) => (
    <>
      <p>{visit.words.badLinkText}</p>
      <SendAgain visit={visit} />
    </>
  ),
  acts: { again: sendAgain },
}

/** In another browser than the one that signed up. */
const prove: Page = {
  path: "/verify/prove",
  audience: "anyone",
  title: (words) => words.prove,
  show: (visit) => {
    const { words } = visit
    if (!visit.read("link_token")) return new Go(visit.onward("/verify/again"))
    return (
      <>
        <Form visit={visit} act="prove" button={words.verify}>
          <p>{words.proveText}</p>
          <Field
            visit={visit}
            act="prove"
            name="password"
            type="password"
            label={words.password}
            autocomplete="current-password"
          />
        </Form>
        <Form visit={visit} act="claim" button={words.verify}>
          <p>{words.proveLost}</p>
          <Field
            visit={visit}
            act="claim"
            name="newPassword"
            type="password"
            label={words.newPassword}
            autocomplete="new-password"
            hint={words.passwordHint}
          />
        </Form>
      </>
    )
  },
  acts: {
    prove: (visit) => verifyWith(visit, { password: visit.field("password") }),
    claim: (visit) => verifyWith(visit, { newPassword: visit.field("newPassword") }),
  },
}

async function verifyWith(visit: Visit, proof: { password: string } | { newPassword: string }) {
  const token = visit.read("link_token") ?? ""
  const { error } = await visit.api.auth.verifyEmailWithPassword({ token, ...proof })
  const isSpent = error?.code === "INVALID_TOKEN" || error?.code === "TOKEN_EXPIRED"
  if (error !== undefined && !isSpent) return error
  visit.write("link_token", "")
  if (isSpent) return new Go(visit.onward("/verify/again"))
  return new Go(visit.onward("/sign-in"), "verified")
}

export const signUpPages = [signUp, sent, verify, again, prove]
