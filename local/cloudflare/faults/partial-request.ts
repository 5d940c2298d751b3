import { splitStatements } from "../d1/statements.ts"
import { parseJson } from "../protocol/envelope.ts"

export type Sent = { method: string; path: string; body: string }

/**
 * The part of a request that stays when Cloudflare gets no further: itself a request, which this
 * control plane does instead. Undefined where a request is all or nothing.
 */
export function partOf(sent: Sent, keep: number): Sent | undefined {
  const kind = kinds.find(({ method, path }) => method === sent.method && path.test(sent.path))
  return kind?.part(sent, keep)
}

export function hasPart({ method, path }: Omit<Sent, "body">): boolean {
  return kinds.some((kind) => kind.method === method && kind.path.test(path))
}

type Kind = { method: string; path: RegExp; part: (sent: Sent, keep: number) => Sent }

const kinds: Kind[] = [
  { method: "PUT", path: /\/scripts\/[^/]+\/(?:routes|schedules)$/, part: firstOf([]) },
  { method: "PUT", path: /\/scripts\/[^/]+\/domains\/records$/, part: firstOf(["origins"]) },
  { method: "PATCH", path: /\/scripts\/[^/]+\/secrets-bulk$/, part: firstOf(["secrets"]) },
  { method: "POST", path: /\/d1\/database\/[^/]+\/(?:query|raw)$/, part: firstStatements },
  // The Worker is there, without the code that was to make it one.
  {
    method: "PUT",
    path: /\/scripts\/[^/]+$/,
    part: ({ path }) => ({
      method: "POST",
      path: path.replace(/\/scripts\/[^/]+$/, "/workers"),
      body: JSON.stringify({ name: path.split("/").at(-1) }),
    }),
  },
]

/** The first few members of the array or object that is the body, or one property of it. */
function firstOf(keys: string[]) {
  return (sent: Sent, keep: number): Sent => {
    const cut = (value: unknown, [key, ...rest]: string[]): unknown => {
      if (Array.isArray(value)) return value.slice(0, keep)
      if (typeof value !== "object" || value === null) return value
      const entries = Object.entries(value)
      if (key === undefined) return Object.fromEntries(entries.slice(0, keep))
      return Object.fromEntries(
        entries.map(([name, member]) => [name, name === key ? cut(member, rest) : member]),
      )
    }
    return { ...sent, body: JSON.stringify(cut(parseJson(sent.body), keys)) }
  }
}

function firstStatements(sent: Sent, keep: number): Sent {
  const query = parseJson(sent.body)
  if (typeof query !== "object" || query === null) return sent
  if ("batch" in query) return firstOf(["batch"])(sent, keep)
  if (!("sql" in query) || typeof query.sql !== "string") return sent
  const sql = splitStatements(query.sql).slice(0, keep).join(";\n")
  return { ...sent, body: JSON.stringify({ ...query, sql }) }
}
