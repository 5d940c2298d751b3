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
  /** Methods, separated by commas; case-insensitive. */
  method: list.transform((all) => all.map((one) => one.toUpperCase())).optional(),
  /** A substring of the host; case-insensitive. */
  host: z.string().min(1).optional(),
  /** A substring of the path. */
  path: z.string().min(1).optional(),
  /** The Worker's name. */
  script: z.string().min(1).optional(),
  since: z.iso.datetime({ offset: true }).optional(),
}

const Filter = z.strictObject(logFilter)
export type LogFilter = z.infer<typeof Filter>

export function matches(entry: LoggedEntry, filter: LogFilter): boolean {
  const { kind, status, method, host, path, script, since } = filter
  const text = (key: string) => {
    const value = entry[key]
    return typeof value === "string" || typeof value === "number" ? String(value) : ""
  }
  return (
    (kind?.includes(entry.event) ?? true) &&
    (status?.some((one) => isOfClass(text("status"), one)) ?? true) &&
    (method?.includes(text("method")) ?? true) &&
    (host === undefined || text("host").toLowerCase().includes(host.toLowerCase())) &&
    (path === undefined || text("path").includes(path)) &&
    (script === undefined || text("script") === script) &&
    (since === undefined || Date.parse(entry.time) >= Date.parse(since))
  )
}

function isOfClass(status: string, wanted: string): boolean {
  return wanted.endsWith("xx") ? status.startsWith(wanted.charAt(0)) : status === wanted
}
