import type { Input } from "../../../packages/client/src/index.ts"
import { given } from "../outcome.ts"
import type { Page } from "../page.ts"
import { When } from "../when.tsx"
import { wordFor } from "../words/words.ts"

type Filter = Input<"listAuditEntries">

export const auditPage: Page = {
  path: "/admin/audit",
  audience: "admin",
  isInMenu: true,
  title: (words) => words.audit,
  show: async (visit) => {
    const { words, api, query, path } = visit
    const filter = Object.fromEntries(
      ["actorId", "subjectId", "action"].flatMap((name) => {
        const value = query.get(name)?.trim()
        return value ? [[name, value]] : []
      }),
    )
    const cursor = query.get("cursor")
    const asked: Filter = { ...filter, ...(cursor && { cursor }) }
    const { items, nextCursor } = await given(api.admin.listAuditEntries(asked))
    const text = (name: string, label: string) => (
      <div class="field">
        <label for={name}>{label}</label>
        <input id={name} name={name} value={filter[name] ?? ""} autocomplete="off" />
      </div>
    )
    return (
      <>
        <form method="get" action={path}>
          {text("subjectId", words.subject)}
          {text("actorId", words.actor)}
          <div class="field">
            <label for="action">{words.action}</label>
            <select id="action" name="action">
              <option value="">–</option>
              {Object.entries(words.actions).map(([action, name]) => (
                <option value={action} {...(action === filter["action"] && { selected: true })}>
                  {name}
                </option>
              ))}
            </select>
          </div>
          <button class="main">{words.search}</button>
        </form>
        {items.length === 0 && <p>{words.none}</p>}
        <ul class="rows">
          {items.map(({ action, detail, actorId, subjectId, createdAt }) => (
            <li>
              <span>
                <strong>{wordFor(words.actions, action)}</strong> {detail}
                <small>
                  {words.actor}: {actorId ?? "–"}
                </small>
                <small>
                  {words.subject}: {subjectId ?? "–"}
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
