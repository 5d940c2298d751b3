import { field } from "../fields.ts"
import { defineForm, Form } from "../form.tsx"
import { given, Go, goAfter } from "../outcome.ts"
import type { Page } from "../page.ts"
import { providerName } from "../provider-name.ts"
import { Refusal } from "../refusal.tsx"
import { When } from "../when.tsx"

const path = "/account/ways"

const addForm = defineForm({
  act: "add",
  button: (words, { provider = "" }) => words.addWay(providerName(provider)),
  fields: { provider: field.hidden },
  send: async (visit, { provider }) => {
    const page = visit.pageAt(path)
    const { data, error } = await visit.api.auth.linkIdentity({
      provider,
      callbackURL: page,
      errorCallbackURL: page,
    })
    return error === undefined ? new Go(data.url) : error
  },
})

const removeForm = defineForm({
  act: "remove",
  button: (words) => words.remove,
  isGrave: true,
  fields: { provider: field.hidden },
  send: (visit, { provider: providerId }) =>
    goAfter(visit.api.auth.unlinkAccount({ providerId }), path, "changed"),
})

export const waysPage: Page = {
  path,
  audience: "member",
  isInMenu: true,
  title: (words) => words.ways,
  show: async (visit) => {
    const { words, api, settings, query } = visit
    const ways = await given(api.auth.listAccounts())
    const missing = settings.providers.filter(
      (id) => !ways.some(({ providerId }) => providerId === id),
    )
    const failed = query.get("error")
    return (
      <>
        {failed !== null && <Refusal problem={{ code: failed }} words={words} />}
        <ul class="rows">
          {ways.map(({ providerId, createdAt }) => (
            <li>
              <span>
                {providerId === "credential" ? words.byPassword : providerName(providerId)}
                <small>
                  <When visit={visit} at={createdAt} />
                </small>
              </span>
              {ways.length > 1 && (
                <Form visit={visit} form={removeForm} values={{ provider: providerId }} />
              )}
            </li>
          ))}
        </ul>
        {missing.map((id) => (
          <Form visit={visit} form={addForm} values={{ provider: id }} />
        ))}
      </>
    )
  },
  forms: [addForm, removeForm],
}
