import type { Fields } from "../fields.ts"
import type { Page } from "../form.tsx"
import { List, Search, searched, When } from "../list.tsx"
import { unwrap } from "../outcome.ts"

const filters = {
  search: {
    is: "text",
    label: (words) => words.searchMember,
    autocomplete: "off",
    isOptional: true,
  },
  state: {
    is: "choice",
    label: (words) => words.memberState,
    options: ({ memberStates }) => ({ "": "–", ...memberStates }),
  },
  role: {
    is: "choice",
    label: (words) => words.role,
    options: ({ roles }) => ({ "": "–", ...roles }),
  },
} satisfies Fields

export const membersPage: Page = {
  path: "/admin",
  audience: "admin",
  isInMenu: true,
  title: (words) => words.members,
  show: async (visit) => {
    const { words, api } = visit
    const members = await unwrap(api.admin.listUsers(searched(visit, filters)))
    return (
      <>
        <Search visit={visit} fields={filters} />
        <List
          visit={visit}
          {...members}
          none={members.nextCursor === null ? words.noMembers : words.noMembersSoFar}
          row={({
            id,
            name,
            email,
            emailVerified,
            role,
            plan,
            suspendedAt,
            deleteAt,
            lastSignInAt,
          }) => (
            <>
              <span>
                <a href={`/admin/members/${id}`}>{name}</a>
                <small>
                  {email}
                  {lastSignInAt !== null && (
                    <>
                      , {words.lastSignIn}: <When visit={visit} at={lastSignInAt} hasTime />
                    </>
                  )}
                </small>
              </span>
              <span>
                {suspendedAt !== null && <span class="tag">{words.isSuspended}</span>}{" "}
                {deleteAt !== null && <span class="tag">{words.memberStates.deletion}</span>}{" "}
                {!emailVerified && <span class="tag">{words.unverifiedAddress}</span>}{" "}
                {role !== "member" && <span class="tag on">{words.roles[role]}</span>}{" "}
                {plan !== "free" && <span class="tag">{words.planNames[plan]}</span>}
              </span>
            </>
          )}
        />
      </>
    )
  },
}
