import { integer } from "drizzle-orm/sqlite-core"

/** A column of milliseconds since 1970, read as Date. */
export function instant(name: string) {
  return integer(name, { mode: "timestamp_ms" })
}
