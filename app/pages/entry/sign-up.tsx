import { field } from "../fields.ts"
import { defineForm, Form, type Page } from "../form.tsx"
import { Notice } from "../layout.tsx"
import { Go } from "../outcome.ts"
import { againForm, pageOfLetter } from "../send-again.tsx"
import type { Visit } from "../visit.ts"
import { Providers } from "./sign-in.tsx"

const signUpForm = defineForm({
  act: "sign-up",
  button: (words) => words.signUp,
  fields: {
    name: field.name,
    email: field.email,
    password: { ...field.newPassword, label: (words) => words.password },
    turnstile: { is: "turnstile", action: "sign-up-email" },
  },
  send: async (visit, values) => {
    const invitation = visit.read("invitation")
    const { data, error } = await visit.api.auth.signUpEmail({
      ...values,
      callbackURL: pageOfLetter(visit),
      ...(invitation && { invitation }),
    })
    // An expired invitation does not matter if sign-up is open.
    if (error?.code === "INVITATION_REQUIRED" && visit.settings.signUp === "open") {
      visit.write("invitation", "")
    }
    if (error !== undefined) return error
    visit.keepReturn()
    if (invitation) visit.write("invitation", "")
    return new Go(visit.onward(data.token === null ? "/sign-up/sent" : "/sign-in/back"))
  },
})

const signUp: Page = {
  path: "/sign-up",
  audience: "anyone",
  title: (words) => words.signUp,
  show: (visit) => {
    const { words, settings, query } = visit
    const invitation = query.get("invitation")
    if (invitation !== null) {
      visit.write("invitation", invitation)
      return new Go(visit.onward("/sign-up"))
    }
    if (settings.signUp === "closed") {
      const to = visit.onward("/sign-in")
      return <Notice text={words.codes.SIGN_UP_CLOSED} to={to} link={words.signIn} />
    }
    const isInvited = visit.read("invitation") !== undefined
    return (
      <>
        {isInvited && <p class="note">{words.invitedText}</p>}
        {settings.signUp === "invited" && !isInvited && (
          <p class="note">{words.codes.INVITATION_REQUIRED}</p>
        )}
        {settings.passwords && <Form visit={visit} form={signUpForm} />}
        {settings.providers.length > 0 && <p class="or">{words.or}</p>}
        <Providers visit={visit} />
        <p class="soft">
          {words.known} <a href={visit.onward("/sign-in")}>{words.signIn}</a>
        </p>
      </>
    )
  },
  forms: [signUpForm],
}

const page: Page = {
  path: "/sign-up/sent",
  audience: "anyone",
  title: (words) => words.sent,
  show: (visit) => (
    <>
      <p>{visit.words.sentText}</p>
      <Form visit={visit} form={againForm} values={ofReader(visit)} />
      <p>
        <a href={visit.session === null ? visit.onward("/sign-in") : visit.goal}>
          {visit.session === null ? visit.words.signIn : visit.words.continue}
        </a>
      </p>
    </>
  ),
  forms: [againForm],
}

function ofReader({ session }: Visit) {
  return { email: session?.user.email ?? "" }
}

/** The page that a verification link leads to, after the API has read the token. */
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
    if (query.get("error") === "UNAUTHORIZED") {
      return new Go(visit.onward("/verify/prove?by=sign-in"))
    }
    if (query.has("error")) return new Go(visit.onward("/verify/again"))
    const to = session === null ? visit.onward("/sign-in") : visit.goal
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

const newLinkPage: Page = {
  path: "/verify/again",
  audience: "anyone",
  title: (words) => words.newLink,
  show: (visit) => (
    <>
      <p>{visit.words.badLinkText}</p>
      <Form visit={visit} form={againForm} values={ofReader(visit)} />
    </>
  ),
  forms: [againForm],
}

const proveForm = defineForm({
  act: "prove",
  button: (words) => words.verify,
  fields: { password: field.password },
  send: verifyWith,
})

const claimForm = defineForm({
  act: "claim",
  button: (words) => words.verify,
  fields: { newPassword: field.newPassword },
  send: verifyWith,
})

/** Asks for the password if the link is opened in another browser than the sign-up's. */
const prove: Page = {
  path: "/verify/prove",
  audience: "anyone",
  title: (words) => words.prove,
  show: (visit) => {
    const { words, session, query } = visit
    if (query.get("by") === "sign-in") {
      const [to, link] =
        session === null
          ? [visit.onward("/sign-in"), words.signIn]
          : [visit.onward("/sign-out"), words.signOut]
      return <Notice text={words.proveBySignIn} to={to} link={link} />
    }
    if (!visit.read("link_token")) return new Go(visit.onward("/verify/again"))
    return (
      <>
        <Form visit={visit} form={proveForm}>
          <p>{words.proveText}</p>
        </Form>
        <Form visit={visit} form={claimForm}>
          <p>{words.proveLost}</p>
        </Form>
      </>
    )
  },
  forms: [proveForm, claimForm],
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

export const signUpPages = [signUp, page, verify, newLinkPage, prove]
