import { field, providerName } from "../fields.ts"
import { defineForm, Form, type Page } from "../form.tsx"
import { List, When } from "../list.tsx"
import { unwrap, Go, goAfter } from "../outcome.ts"
import { Failure, Unremovable } from "../refusal.tsx"

const path = "/account/ways"

const addForm = defineForm({
  act: "add",
  button: (words, { provider = "" }, settings) => words.addWay(providerName(settings, provider)),
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
  isDestructive: true,
  confirmation: (words) => words.confirmations.way,
  fields: { provider: field.hidden },
  send: (visit, { provider: providerId }) =>
    goAfter(visit.api.auth.unlinkAccount({ providerId }), path, "unlink_identity"),
})

export const waysPage: Page = {
  path,
  audience: "member",
  parent: "/account/security",
  title: (words) => words.ways,
  show: async (visit) => {
    const { words, api, settings } = visit
    const { passwordRemoval, providers } = await unwrap(api.user.listWays())
    const ways = [
      ...(passwordRemoval === null
        ? []
        : [{ providerId: "credential", createdAt: null, removal: passwordRemoval }]),
      ...providers,
    ]
    const missing = settings.providers.filter(
      (id) => !providers.some(({ providerId }) => providerId === id),
    )
    return (
      <>
        <Failure visit={visit} />
        <List
          visit={visit}
          items={ways}
          row={({ providerId, createdAt, removal }) => (
            <>
              <span>
                {createdAt === null ? words.byPassword : providerName(settings, providerId)}
                {createdAt !== null && (
                  <small>
                    <When visit={visit} at={createdAt} />
                  </small>
                )}
                {removal !== "allowed" && <Unremovable removal={removal} visit={visit} />}
              </span>
              {removal === "allowed" && (
                <Form
                  visit={visit}
                  form={removeForm}
                  values={{ provider: providerId }}
                  about={createdAt === null ? words.byPassword : providerName(settings, providerId)}
                />
              )}
            </>
          )}
        />
        {missing.map((id) => (
          <Form visit={visit} form={addForm} values={{ provider: id }} />
        ))}
      </>
    )
  },
  forms: [addForm, removeForm],
}
