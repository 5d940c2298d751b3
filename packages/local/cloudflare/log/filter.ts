import * as z from "zod"

/** An entry of the log file, possibly of a kind that only a newer version writes. */
export const LoggedEntry = z.looseObject({ time: z.string(), event: z.string() })
export type LoggedEntry = z.infer<typeof LoggedEntry>

const list = z
  .string()
  .transform((text) => text.split(",").map((one) => one.trim()))
  .pipe(z.array(z.string().min(1, "Remove the empty element from the list")))

/** The kinds of entries that this version writes. */
export const kinds = [
  "request",
  "api",
  "deployment",
  "cron",
  "worker",
  "fault",
  "unknown-route",
  "unknown-input",
  "problem",
]

/** Query parameters; an entry must match every one that is given. */
export const logFilter = {
  /** Kinds, separated by commas. */
  kind: list
    .refine(
      (all) => all.every((kind) => kinds.includes(kind)),
      `Use kinds of entries: ${kinds.join(", ")}`,
    )
    .optional(),
  /** `404`, or a class such as `4xx`; several separated by commas. */
  status: list
    .refine(
      (all) => all.every((one) => /^[1-5](?:xx|\d\d)$/.test(one)),
      "Use codes such as 404 and classes such as 4xx",
    )
    .optional(),
}

const Filter = z.strictObject(logFilter)
export type LogFilter = z.infer<typeof Filter>

export function matches(entry: LoggedEntry, { kind, status }: LogFilter): boolean {
  const found = String(Number(entry["status"]))
  return (
    (kind?.includes(entry.event) ?? true) && (status?.some((one) => isOfClass(found, one)) ?? true)
  )
}

function isOfClass(status: string, wanted: string): boolean {
  return wanted.endsWith("xx") ? status.startsWith(wanted.charAt(0)) : status === wanted
}
