import { field, providerName } from "../fields.ts"
import { defineForm, Form, type Page } from "../form.tsx"
import { Notice } from "../layout.tsx"
import { Go, goAfter } from "../outcome.ts"
import { assertion, assertionOf, PasskeyForm } from "../passkey.tsx"
import { Failure } from "../refusal.tsx"
import { SendAgain } from "../send-again.tsx"
import type { Visit } from "../visit.ts"
import { ProviderIcon } from "./provider-icon.tsx"
import { goAfterFirst, secondStep } from "./second-factor.tsx"

/** Renders links instead of buttons, because `form-action` would have to name every provider's origin. */
export function Providers({ visit, isProof = false }: { visit: Visit; isProof?: boolean }) {
  const { settings, words, api } = visit
  return settings.providers.map((provider) => (
    <a
      class="button"
      href={api.auth.signInWithProvider({
        provider,
        callbackURL: visit.pageAt("/sign-in/back"),
        errorCallbackURL: visit.pageAt("/sign-in"),
        // Otherwise the browser's existing session at the provider would be enough.
        ...(isProof && { prompt: "login" }),
      })}
    >
      <ProviderIcon preset={settings.presets[provider]} />
      {words.signInWith(providerName(settings, provider))}
    </a>
  ))
}

const signInForm = defineForm({
  act: "sign-in",
  button: (words) => words.signIn,
  fields: {
    email: { ...field.email, autocomplete: "username webauthn" },
    password: field.password,
    stay: field.stay,
  },
  send: (visit, { email, password, stay }) =>
    goAfterFirst(visit, visit.api.auth.signInEmail({ email, password, rememberMe: stay })),
})

const passkeyForm = defineForm({
  act: "passkey",
  passkey: "sign-in",
  button: (words) => words.byPasskey,
  fields: assertion,
  send: (visit, values) =>
    goAfter(
      visit.api.auth.signInPasskey({ passkey: assertionOf(values) }),
      visit.onward("/sign-in/back"),
    ),
})

const signIn: Page = {
  path: "/sign-in",
  audience: "anyone",
  title: ({ signIn: title }) => title,
  show: (visit) => {
    const { words, message, session, settings, refused } = visit
    const isSaid = message.error !== undefined || message.done !== undefined
    if (session !== null && !isSaid) return new Go(visit.goal)
    if (message.error === "second_factor_required") {
      visit.write("page_message", "")
      return secondStep(visit)
    }
    const hasOthers = settings.passkeys || settings.emailCode || settings.providers.length > 0
    return (
      <>
        <Failure visit={visit} />
        {settings.passwords && (
          <>
            <Form visit={visit} form={signInForm} />
            {settings.verifyEmail && refused?.problem.code === "INVALID_EMAIL_OR_PASSWORD" && (
              <SendAgain visit={visit} email={visit.field("email")} />
            )}
            <p>
              <a href={visit.onward("/forgotten")}>{words.forgotten}</a>
            </p>
          </>
        )}
        {settings.passwords && hasOthers && <p class="or">{words.or}</p>}
        <PasskeyForm visit={visit} form={passkeyForm} />
        {settings.emailCode && (
          <a class="button" href={visit.onward("/sign-in/code")}>
            {words.signInByCode}
          </a>
        )}
        <Providers visit={visit} />
        {settings.signUp !== "closed" && (
          <p class="soft">
            {words.newHere} <a href={visit.onward("/sign-up")}>{words.signUp}</a>
          </p>
        )}
      </>
    )
  },
  forms: [signInForm, passkeyForm],
}

/** The page after a sign-in. No session here means that the browser rejects cookies. */
const back: Page = {
  path: "/sign-in/back",
  audience: "anyone",
  title: ({ noCookies }) => noCookies,
  show: (visit) => {
    const { words, session } = visit
    if (session !== null) return new Go(visit.goal)
    const to = visit.onward("/sign-in")
    return <Notice text={words.noCookiesText} to={to} link={words.signIn} />
  },
}

const signOutForm = defineForm({
  act: "sign-out",
  button: (words) => words.signOut,
  fields: {},
  send: (visit) =>
    visit.returnTo === undefined
      ? goAfter(visit.api.auth.signOut(), "/sign-in", "out")
      : goAfter(visit.api.auth.signOut(), visit.returnTo),
})

const signOut: Page = {
  path: "/sign-out",
  audience: "anyone",
  title: (words) => words.signOut,
  show: (visit) => {
    const { words, session } = visit
    if (session === null) return new Go(visit.returnTo ?? "/sign-in")
    return (
      <Form visit={visit} form={signOutForm}>
        <p>{words.signOutAsk}</p>
      </Form>
    )
  },
  forms: [signOutForm],
}

const root: Page = {
  path: "/",
  audience: "anyone",
  title: (words) => words.signIn,
  show: ({ session, query, message }) => {
    // A failed link of an email that names no page.
    if (query.has("token") || query.has("error")) return new Go(`/verify?${query.toString()}`)
    const isOut = session === null || message.error !== undefined
    return new Go(isOut ? "/sign-in" : "/account")
  },
}

export const signInPages = [root, signIn, back, signOut]
