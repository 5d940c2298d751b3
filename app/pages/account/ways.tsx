import { explain, Form, Hidden } from "../form.tsx"
import { given, Go, goAfter } from "../outcome.ts"
import type { Page } from "../page.ts"
import { providerName } from "../provider-name.ts"
import { When } from "../when.tsx"

const path = "/account/ways"

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
        {failed !== null && (
          <p class="bad" role="alert">
            {explain({ code: failed }, words)}
          </p>
        )}
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
                <Form visit={visit} act="remove" button={words.remove} isGrave>
                  <Hidden name="provider" value={providerId} />
                </Form>
              )}
            </li>
          ))}
        </ul>
        {missing.map((id) => (
          <Form visit={visit} act="add" button={words.addWay(providerName(id))}>
            <Hidden name="provider" value={id} />
          </Form>
        ))}
      </>
    )
  },
  acts: {
    add: async (visit) => {
      const page = visit.pageAt(path)
      const { data, error } = await visit.api.auth.linkIdentity({
        provider: visit.field("provider"),
        callbackURL: page,
        errorCallbackURL: page,
      })
      return error === undefined ? new Go(data.url) : error
    },
    remove: (visit) => {
      const providerId = visit.field("provider")
      return goAfter(visit.api.auth.unlinkAccount({ providerId }), path, "changed")
    },
  },
}
