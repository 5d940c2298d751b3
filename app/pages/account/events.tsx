import { given } from "../outcome.ts"
import type { Page } from "../page.ts"
import { When } from "../when.tsx"
import { wordFor } from "../words/words.ts"

export const eventsPage: Page = {
  path: "/account/security",
  audience: "member",
  isInMenu: true,
  title: (words) => words.events,
  show: async (visit) => {
    const { words, api, query, path } = visit
    const cursor = query.get("cursor")
    const asked = api.user.listSecurityEvents(cursor === null ? {} : { cursor })
    const { items, nextCursor } = await given(asked)
    return (
      <>
        <p class="soft">{words.eventsText}</p>
        {items.length === 0 && <p>{words.none}</p>}
        <ul class="rows">
          {items.map(({ action, detail, byYou, createdAt }) => (
            <li>
              <span class="said">
                {wordFor(words.actions, action)} {detail && <span class="tag">{detail}</span>}
                <small>{byYou ? words.byYou : words.byOthers}</small>
              </span>
              <When visit={visit} at={createdAt} hasTime />
            </li>
          ))}
        </ul>
        {nextCursor !== null && (
          <a href={`${path}?${new URLSearchParams({ cursor: nextCursor }).toString()}`}>
            {words.more}
          </a>
        )}
      </>
    )
  },
}
