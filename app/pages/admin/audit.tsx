import { detailOf } from "../account/security.tsx"
import type { Fields } from "../fields.ts"
import type { Page } from "../form.tsx"
import { List, Search, searched, When } from "../list.tsx"
import { unwrap } from "../outcome.ts"
import type { Visit } from "../visit.ts"
import { wordFor } from "../words/words.ts"

const filters = {
  about: {
    is: "text",
    label: (words) => words.aboutOrBy,
    autocomplete: "off",
    isOptional: true,
  },
  actorId: { is: "text", label: (words) => words.byWhom, autocomplete: "off", isOptional: true },
  group: {
    is: "choice",
    label: (words) => words.actionGroup,
    options: ({ actionGroups }) => ({ "": "–", ...actionGroups }),
  },
  action: {
    is: "choice",
    label: (words) => words.action,
    options: ({ actions }) => ({ "": "–", ...actions }),
  },
  since: { is: "date", label: (words) => words.sinceDay, isOptional: true },
  until: { is: "date", label: (words) => words.beforeDay, isOptional: true },
} satisfies Fields

export const auditPage: Page = {
  path: "/admin/audit",
  audience: "admin",
  isInMenu: true,
  title: (words) => words.audit,
  show: async (visit) => {
    const { words, api } = visit
    const entries = await unwrap(api.admin.listAuditEntries(searched(visit, filters)))
    return (
      <>
        <Search visit={visit} fields={filters} />
        <List
          visit={visit}
          {...entries}
          none={words.noEntries}
          row={({ actorId, subjectId, actor, subject, createdAt, ...event }) => {
            const detail = detailOf(event, visit)
            return (
              <>
                <span class="said">
                  <strong>{wordFor(words.actions, event.action)}</strong>{" "}
                  {detail && <span class="tag">{detail}</span>}
                  <small>
                    {actorId === null ? (
                      wordFor(words.how, event.how)
                    ) : (
                      <>
                        {words.actor}: <Account visit={visit} id={actorId} account={actor} />
                      </>
                    )}
                  </small>
                  {subjectId !== null && (
                    <small>
                      {words.subject}: <Account visit={visit} id={subjectId} account={subject} />
                    </small>
                  )}
                </span>
                <When visit={visit} at={createdAt} hasTime />
              </>
            )
          }}
        />
      </>
    )
  },
}

type AccountProps = { visit: Visit; id: string; account: { name: string; email: string } | null }

/** Links the account that an entry names; a deleted account has only its id. */
function Account({ visit: { words }, id, account }: AccountProps) {
  if (account === null) return <>{words.deletedAccount(id)}</>
  return (
    <>
      <a href={`/admin/members/${id}`}>{account.name}</a> ({account.email})
    </>
  )
}
