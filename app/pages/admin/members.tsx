import type { Fields } from "../fields.ts"
import type { Page } from "../form.tsx"
import { List, Search, searched } from "../list.tsx"
import { given } from "../outcome.ts"

const filters = {
  email: { is: "text", label: (words) => words.emailBegins, autocomplete: "off", isOptional: true },
  formerEmail: {
    is: "text",
    label: (words) => words.formerEmail,
    autocomplete: "off",
    isOptional: true,
  },
  id: { is: "text", label: () => "Id", autocomplete: "off", isOptional: true },
} satisfies Fields

export const membersPage: Page = {
  path: "/admin",
  audience: "admin",
  isInMenu: true,
  title: (words) => words.members,
  show: async (visit) => {
    const { words, api } = visit
    const found = await given(api.admin.listUsers(searched(visit, filters)))
    return (
      <>
        <Search visit={visit} fields={filters} />
        <List
          visit={visit}
          {...found}
          none={words.noMembers}
          row={({ id, name, email, role, plan }) => (
            <>
              <span>
                <a href={`/admin/members/${id}`}>{email}</a>
                <small>{name}</small>
              </span>
              <span>
                {role !== "member" && <span class="tag on">{words.roles[role]}</span>}{" "}
                <span class="tag">{words.planNames[plan]}</span>
              </span>
            </>
          )}
        />
      </>
    )
  },
}
