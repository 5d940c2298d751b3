import { Form, Hidden } from "../pages/form.tsx"
import { given, Go, goAfter } from "../pages/outcome.ts"
import type { Page } from "../pages/page.ts"
import type { Visit } from "../pages/visit.ts"
import { When } from "../pages/when.tsx"

const listPath = "/account/consents"

const list: Page = {
  path: listPath,
  audience: "member",
  isInMenu: true,
  title: (words) => words.consents,
  show: async (visit) => {
    const { words, api } = visit
    const { items } = await given(api.consent.listConsents())
    if (items.length === 0) return <p>{words.none}</p>
    return (
      <ul class="rows">
        {items.map(({ id, purpose, version, grantedAt, withdrawnAt }) => (
          <li>
            <span>
              {purposeIn(visit, purpose)} {version}
              <small>
                <When visit={visit} at={grantedAt} />
              </small>
            </span>
            {withdrawnAt === null ? (
              <Form visit={visit} act="withdraw" button={words.withdraw}>
                <Hidden name="id" value={id} />
              </Form>
            ) : (
              <span class="soft">{words.withdrawn}</span>
            )}
          </li>
        ))}
      </ul>
    )
  },
  acts: {
    withdraw: (visit) =>
      goAfter(visit.api.consent.withdrawConsent({ id: visit.field("id") }), listPath, "changed"),
  },
}

function purposeIn({ words }: Visit, purpose: string) {
  return isNamed(words.purposes, purpose) ? words.purposes[purpose] : purpose
}

function isNamed<Names extends object>(names: Names, text: string): text is keyof Names & string {
  return Object.hasOwn(names, text)
}

/** What a front end sends people to: `/consent?purpose=terms&version=3&return=…`. */
function askedFor({ query, words }: Visit) {
  const purpose = query.get("purpose") ?? ""
  const version = query.get("version") ?? ""
  return isNamed(words.purposes, purpose) && version !== "" ? { purpose, version } : undefined
}

const ask: Page = {
  path: "/consent",
  audience: "member",
  title: (words) => words.consents,
  show: (visit) => {
    const { words, returnTo } = visit
    const asked = askedFor(visit)
    if (asked === undefined) return new Go(listPath)
    return (
      <>
        <Form visit={visit} act="agree" button={words.agree}>
          <p>{words.consentAsk(words.purposes[asked.purpose], asked.version)}</p>
        </Form>
        <a href={returnTo ?? listPath}>{words.notNow}</a>
      </>
    )
  },
  acts: {
    agree: async (visit) => {
      const asked = askedFor(visit)
      if (asked === undefined) return new Go(listPath)
      const recorded = visit.api.consent.recordConsent(asked)
      const { returnTo } = visit
      return returnTo === undefined
        ? goAfter(recorded, listPath, "recorded")
        : goAfter(recorded, returnTo)
    },
  },
}

export const consentPages = [list, ask]
