import type { Child } from "hono/jsx"

import type { Fields, Values } from "./fields.ts"
import { Input } from "./form.tsx"
import type { Visit } from "./visit.ts"

/** Renders a name with its value in a `dl`. */
export function Fact({ name, children }: { name: string; children?: Child }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

type Searched<Of extends Fields> = {
  [Name in keyof Of]?: Exclude<Values<Of>[Name], "" | boolean>
} & { cursor?: string }

/** Reads a list's filters and cursor from the URL, in its operation's format, without empty fields. */
export function searched<Of extends Fields>(visit: Visit, fields: Of): Searched<Of>
export function searched({ query }: Visit, fields: Fields): Record<string, string> {
  return Object.fromEntries(
    [...Object.keys(fields), "cursor"].flatMap((name) => {
      const value = query.get(name)?.trim()
      return value ? [[name, value]] : []
    }),
  )
}

/** Renders the filters of a list, which are stored in the URL. */
export function Search({ visit, fields }: { visit: Visit; fields: Fields }) {
  const { path, query, words } = visit
  return (
    <form method="get" action={path} class="search">
      {Object.entries(fields).map(
        ([name, field]) =>
          field.is !== "turnstile" && (
            <Input
              id={name}
              name={name}
              field={field}
              visit={visit}
              value={query.get(name) ?? undefined}
            />
          ),
      )}
      <button class="main">{words.search}</button>
    </form>
  )
}

type ListProps<Item> = {
  visit: Visit
  items: Item[]
  row: (item: Item) => Child
  /** Text for an empty list. */
  none?: string
  nextCursor?: string | null
}

/** Renders a page of a list, with a link to the next page. */
export function List<Item>({ visit, items, row, none, nextCursor }: ListProps<Item>) {
  const { words } = visit
  return (
    <>
      {items.length === 0 ? (
        <p>{none ?? words.none}</p>
      ) : (
        <ul class="rows">
          {items.map((item) => (
            <li>{row(item)}</li>
          ))}
        </ul>
      )}
      {nextCursor && <a href={visit.here({ cursor: nextCursor })}>{words.more}</a>}
    </>
  )
}

/** Cached, because a format takes half a millisecond to create and each row of a list needs one. */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(language: string, hasTime: boolean) {
  const key = `${language} ${hasTime}`
  const existing = formats.get(key)
  if (existing !== undefined) return existing
  const format = new Intl.DateTimeFormat(language, {
    dateStyle: "medium",
    ...(hasTime && { timeStyle: "short" }),
    timeZone: "UTC",
  })
  formats.set(key, format)
  return format
}

/** Renders a time in the reader's language. It is in UTC until the script converts it to the local time zone. */
export function When({
  visit,
  at,
  hasTime = false,
}: {
  visit: Visit
  at: string
  hasTime?: boolean
}) {
  return (
    <time datetime={at} {...(hasTime && { "data-at": "" })}>
      {formatOf(visit.language, hasTime).format(new Date(at))}
      {hasTime && " UTC"}
    </time>
  )
}
