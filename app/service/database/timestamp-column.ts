import { integer } from "drizzle-orm/sqlite-core"

/** Stored as milliseconds since 1970, read as Date. */
export function timestamp(name: string) {
  return integer(name, { mode: "timestamp_ms" })
}
