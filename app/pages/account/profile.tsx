import { field } from "../fields.ts"
import { defineForm, Form } from "../form.tsx"
import { given, goAfter } from "../outcome.ts"
import type { Page } from "../page.ts"
import { When } from "../when.tsx"
import { wordFor } from "../words/words.ts"

const nameForm = defineForm({
  act: "save",
  button: (words) => words.save,
  fields: { name: field.name },
  send: (visit, { name }) => goAfter(visit.api.user.updateProfile({ name }), "/account", "saved"),
})

const profile: Page = {
  path: "/account",
  audience: "member",
  isInMenu: true,
  title: (words) => words.account,
  show: async (visit) => {
    const { words, api } = visit
    const { name, email, emailVerified, createdAt, role } = await given(api.user.getProfile())
    return (
      <>
        <Form visit={visit} form={nameForm} values={{ name }} />
        <dl>
          <dt>{words.email}</dt>
          <dd>
            {email} ({emailVerified ? words.verifiedAddress : words.unverifiedAddress})
          </dd>
          {role !== "member" && (
            <>
              <dt>{words.role}</dt>
              <dd>{words.roles[role]}</dd>
            </>
          )}
          <dt>{words.memberSince}</dt>
          <dd>
            <When visit={visit} at={createdAt} />
          </dd>
        </dl>
      </>
    )
  },
  forms: [nameForm],
}

const plan: Page = {
  path: "/account/plan",
  audience: "member",
  isInMenu: true,
  title: (words) => words.plan,
  show: async (visit) => {
    const { words, api } = visit
    const { plan: own, planUntil, usage, resetsAt } = await given(api.user.getPlanAndUsage())
    return (
      <>
        <p>
          <strong>{words.planNames[own]}</strong>
          {planUntil !== null && (
            <>
              {" "}
              {words.until} <When visit={visit} at={planUntil} />
            </>
          )}
        </p>
        <dl>
          {usage.map(({ metric, used, limit }) => (
            <>
              <dt>{wordFor(words.metrics, metric)}</dt>
              <dd>
                {words.used(used, limit)}
                <meter
                  min={0}
                  max={limit}
                  value={used}
                  aria-label={wordFor(words.metrics, metric)}
                />
              </dd>
            </>
          ))}
        </dl>
        <p class="soft">
          {words.resets} <When visit={visit} at={resetsAt} />
        </p>
      </>
    )
  },
}

export const profilePages = [profile, plan]
