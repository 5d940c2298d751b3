import type { Visit } from "./visit.ts"

/** A point in time, in the reader's language; where they are, nobody knows here. */
export function When({ visit, at, hasTime }: { visit: Visit; at: string; hasTime?: boolean }) {
  const format = new Intl.DateTimeFormat(visit.language, {
    dateStyle: "medium",
    ...(hasTime && { timeStyle: "short" }),
    timeZone: "UTC",
  })
  return (
    <time datetime={at}>
      {format.format(new Date(at))}
      {hasTime && " UTC"}
    </time>
  )
}
