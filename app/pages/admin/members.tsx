import type { Fields } from "../fields.ts"
import { Search } from "../form.tsx"
import { given } from "../outcome.ts"
import type { Page } from "../page.ts"

const filters = {
  email: { is: "text", label: (words) => words.emailBegins, autocomplete: "off", isOptional: true },
} satisfies Fields

export const membersPage: Page = {
  path: "/admin",
  audience: "admin",
  isInMenu: true,
  title: (words) => words.members,
  show: async (visit) => {
    const { words, api, query, path } = visit
    const email = query.get("email")?.trim() ?? ""
    const cursor = query.get("cursor")
    const found = { ...(email && { email }), ...(cursor && { cursor }) }
    const { items, nextCursor } = await given(api.admin.listUsers(found))
    return (
      <>
        <Search visit={visit} fields={filters} button={words.search} />
        {items.length === 0 && <p>{words.none}</p>}
        <ul class="rows">
          {items.map(({ id, name, email: address, role, plan }) => (
            <li>
              <span>
                <a href={`/admin/members/${id}`}>{address}</a>
                <small>{name}</small>
              </span>
              <span>
                {role !== "member" && <span class="tag on">{words.roles[role]}</span>}{" "}
                <span class="tag">{words.planNames[plan]}</span>
              </span>
            </li>
          ))}
        </ul>
        {nextCursor !== null && (
          <a href={`${path}?${new URLSearchParams({ ...found, cursor: nextCursor }).toString()}`}>
            {words.more}
          </a>
        )}
      </>
    )
  },
}
