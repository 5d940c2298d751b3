import type { Visit } from "./visit.ts"

/** Kept, since each takes half a millisecond to make, and a list has one point in time for each row. */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(language: string, hasTime: boolean) {
  const key = `${language} ${hasTime}`
  const known = formats.get(key)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat(language, {
    dateStyle: "medium",
    ...(hasTime && { timeStyle: "short" }),
    timeZone: "UTC",
  })
  formats.set(key, format)
  return format
}

/** A point in time, in the reader's language; where they are, nobody knows here. */
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
    <time datetime={at}>
      {formatOf(visit.language, hasTime).format(new Date(at))}
      {hasTime && " UTC"}
    </time>
  )
}
