import type { Page } from "../form.tsx"
import { List, searched, When } from "../list.tsx"
import { given } from "../outcome.ts"
import { wordFor } from "../words/words.ts"

export const eventsPage: Page = {
  path: "/account/security",
  audience: "member",
  isInMenu: true,
  title: (words) => words.events,
  show: async (visit) => {
    const { words, api } = visit
    const found = await given(api.user.listSecurityEvents(searched(visit, {})))
    return (
      <>
        <p class="soft">{words.eventsText}</p>
        <List
          visit={visit}
          {...found}
          row={({ action, detail, byYou, createdAt }) => (
            <>
              <span class="said">
                {wordFor(words.actions, action)} {detail && <span class="tag">{detail}</span>}
                <small>{byYou ? words.byYou : words.byOthers}</small>
              </span>
              <When visit={visit} at={createdAt} hasTime />
            </>
          )}
        />
      </>
    )
  },
}
