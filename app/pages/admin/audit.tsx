import type { Fields } from "../fields.ts"
import type { Page } from "../form.tsx"
import { List, Search, searched, When } from "../list.tsx"
import { given } from "../outcome.ts"
import { wordFor } from "../words/words.ts"

const filters = {
  subjectId: { is: "text", label: (words) => words.subject, autocomplete: "off", isOptional: true },
  actorId: { is: "text", label: (words) => words.actor, autocomplete: "off", isOptional: true },
  action: {
    is: "choice",
    label: (words) => words.action,
    options: ({ actions }) => ({ "": "–", ...actions }),
  },
} satisfies Fields

export const auditPage: Page = {
  path: "/admin/audit",
  audience: "admin",
  isInMenu: true,
  title: (words) => words.audit,
  show: async (visit) => {
    const { words, api } = visit
    const found = await given(api.admin.listAuditEntries(searched(visit, filters)))
    return (
      <>
        <Search visit={visit} fields={filters} />
        <List
          visit={visit}
          {...found}
          row={({ action, detail, actorId, subjectId, createdAt }) => (
            <>
              <span class="said">
                <strong>{wordFor(words.actions, action)}</strong>{" "}
                {detail && <span class="tag">{detail}</span>}
                <small>
                  {words.actor}: <Id id={actorId} />
                </small>
                <small>
                  {words.subject}: <Id id={subjectId} />
                </small>
              </span>
              <When visit={visit} at={createdAt} hasTime />
            </>
          )}
        />
      </>
    )
  },
}

function Id({ id }: { id: string | null }) {
  return id === null ? "–" : <a href={`/admin/members/${id}`}>{id}</a>
}
