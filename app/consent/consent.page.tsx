import { field } from "../pages/fields.ts"
import { defineForm, Form, type Page } from "../pages/form.tsx"
import { List, When } from "../pages/list.tsx"
import { unwrap, Go, goAfter } from "../pages/outcome.ts"
import type { Visit } from "../pages/visit.ts"
import { Version } from "./consent.rpc.ts"

const listPath = "/account/consents"

const withdrawForm = defineForm({
  act: "withdraw",
  button: (words) => words.withdraw,
  fields: { id: field.hidden },
  send: ({ api }, { id }) => goAfter(api.consent.withdrawConsent({ id }), listPath, "withdrawn"),
})

const list: Page = {
  path: listPath,
  audience: "member",
  isInMenu: true,
  title: (words) => words.consents,
  show: async (visit) => {
    const { words, api } = visit
    const { items } = await unwrap(api.consent.listConsents())
    return (
      <List
        visit={visit}
        items={items}
        row={({ id, purpose, version, grantedAt, withdrawnAt }) => (
          <>
            <span>
              {purposeIn(visit, purpose)} {version}
              <small>
                <When visit={visit} at={grantedAt} />
              </small>
            </span>
            {withdrawnAt === null ? (
              <Form visit={visit} form={withdrawForm} values={{ id }} />
            ) : (
              <span class="soft">{words.withdrawn}</span>
            )}
          </>
        )}
      />
    )
  },
  forms: [withdrawForm],
}

function purposeIn({ words }: Visit, purpose: string) {
  return isNamed(words.purposes, purpose) ? words.purposes[purpose] : purpose
}

function isNamed<Names extends object>(names: Names, text: string): text is keyof Names & string {
  return Object.hasOwn(names, text)
}

/** Parses the query of a front end's link: `/consent?purpose=terms&version=3&return=…`. */
function askedFor({ query, words }: Visit) {
  const purpose = query.get("purpose") ?? ""
  const version = query.get("version") ?? ""
  const isVersion = Version.safeParse(version).success
  return isNamed(words.purposes, purpose) && isVersion ? { purpose, version } : undefined
}

const agreeForm = defineForm({
  act: "agree",
  button: (words) => words.agree,
  fields: {},
  send: async (visit) => {
    const consent = askedFor(visit)
    if (consent === undefined) return new Go(listPath)
    const recorded = visit.api.consent.recordConsent(consent)
    const { returnTo } = visit
    return returnTo === undefined
      ? goAfter(recorded, listPath, "recorded")
      : goAfter(recorded, returnTo)
  },
})

const ask: Page = {
  path: "/consent",
  audience: "member",
  title: (words) => words.consents,
  show: (visit) => {
    const { words, returnTo } = visit
    const consent = askedFor(visit)
    if (consent === undefined) return new Go(listPath)
    return (
      <>
        <Form visit={visit} form={agreeForm}>
          <p>{words.consentAsk(words.purposes[consent.purpose], consent.version)}</p>
        </Form>
        <a href={returnTo ?? listPath}>{words.notNow}</a>
      </>
    )
  },
  forms: [agreeForm],
}

export const consentPages = [list, ask]
