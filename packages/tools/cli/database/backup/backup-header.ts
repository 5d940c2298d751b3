import * as z from "zod"

/** What a backup says of itself, in its second line: the first turns checks off, or defers them. */
const Header = z.object({
  stack: z.string(),
  databaseId: z.string(),
  /** Of the moment that it shows, for Time Travel. */
  bookmark: z.string(),
  /** ISO 8601. */
  at: z.string(),
  tables: z.array(z.object({ name: z.string(), rows: z.number() })),
})
export type BackupHeader = z.infer<typeof Header>

const title = "accounts backup 1 "

export function describeHeader(header: BackupHeader): string {
  return title + JSON.stringify(header)
}

/** Undefined for a dump that another tool wrote. */
export function parseHeader(text: string): BackupHeader | undefined {
  if (!text.startsWith(title)) return undefined
  return Header.parse(JSON.parse(text.slice(title.length)))
}
