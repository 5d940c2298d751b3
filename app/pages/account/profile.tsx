import { field } from "../fields.ts"
import { defineForm, Form, type Page } from "../form.tsx"
import { Fact, When } from "../list.tsx"
import { unwrap, goAfter } from "../outcome.ts"
import { languageNames, wordFor } from "../words/words.ts"
import { Attention } from "./security.tsx"

const profileForm = defineForm({
  act: "save",
  button: (words) => words.save,
  fields: {
    name: field.name,
    language: {
      is: "choice",
      label: (words) => words.letterLanguage,
      options: (words) => ({ browser: words.browserLanguage, ...languageNames }),
    },
  },
  send: (visit, { name, language }) => {
    const changes = { name, language: language === "browser" ? null : language }
    return goAfter(visit.api.user.updateProfile(changes), "/account", "saved")
  },
})

export const profilePage: Page = {
  path: "/account",
  audience: "member",
  isInMenu: true,
  title: (words) => words.account,
  show: async (visit) => {
    const { words, api } = visit
    const { profile, methods } = await unwrap(api.user.getOverview())
    const { name, language, email, emailVerified, createdAt, role } = profile
    return (
      <>
        <Attention visit={visit} methods={methods} />
        <Form visit={visit} form={profileForm} values={{ name, language: language ?? "browser" }} />
        <dl>
          <Fact name={words.email}>
            {email} ({emailVerified ? words.verifiedAddress : words.unverifiedAddress})
            <br />
            <a href="/account/address">{words.otherAddress}</a>
          </Fact>
          {role !== "member" && <Fact name={words.role}>{words.roles[role]}</Fact>}
          <Fact name={words.memberSince}>
            <When visit={visit} at={createdAt} />
          </Fact>
        </dl>
      </>
    )
  },
  forms: [profileForm],
}

export const planPage: Page = {
  path: "/account/plan",
  audience: "member",
  isInMenu: true,
  title: (words) => words.plan,
  show: async (visit) => {
    const { words, api } = visit
    const { plan: ownPlan, planUntil, usage, resetsAt } = await unwrap(api.user.getPlanAndUsage())
    return (
      <>
        <p>
          <strong>{words.planNames[ownPlan]}</strong>
          {planUntil !== null && (
            <>
              {" "}
              {words.until} <When visit={visit} at={planUntil} />
            </>
          )}
        </p>
        <dl>
          {usage.map(({ metric, used, limit }) => (
            <Fact name={wordFor(words.metrics, metric)}>
              {words.used(used, limit)}
              <meter min={0} max={limit} value={used} aria-label={wordFor(words.metrics, metric)} />
            </Fact>
          ))}
        </dl>
        <p class="soft">
          {words.resets} <When visit={visit} at={resetsAt} />
        </p>
      </>
    )
  },
}
