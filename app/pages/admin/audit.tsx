import type { Input } from "../../../packages/client/src/index.ts"
import type { Fields } from "../fields.ts"
import { Search } from "../form.tsx"
import { given } from "../outcome.ts"
import type { Page } from "../page.ts"
import { When } from "../when.tsx"
import { wordFor } from "../words/words.ts"

type Filter = Input<"listAuditEntries">

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
    const { words, api, query, path } = visit
    const filter = Object.fromEntries(
      Object.keys(filters).flatMap((name) => {
        const value = query.get(name)?.trim()
        return value ? [[name, value]] : []
      }),
    )
    const cursor = query.get("cursor")
    const asked: Filter = { ...filter, ...(cursor && { cursor }) }
    const { items, nextCursor } = await given(api.admin.listAuditEntries(asked))
    return (
      <>
        <Search visit={visit} fields={filters} button={words.search} />
        {items.length === 0 && <p>{words.none}</p>}
        <ul class="rows">
          {items.map(({ action, detail, actorId, subjectId, createdAt }) => (
            <li>
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
            </li>
          ))}
        </ul>
        {nextCursor !== null && (
          <a href={`${path}?${new URLSearchParams({ ...filter, cursor: nextCursor }).toString()}`}>
            {words.more}
          </a>
        )}
      </>
    )
  },
}

function Id({ id }: { id: string | null }) {
  return id === null ? "–" : <a href={`/admin/members/${id}`}>{id}</a>
}
