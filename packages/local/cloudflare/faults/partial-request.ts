import { splitStatements } from "../d1/statements.ts"
import { parseJson } from "../protocol/envelope.ts"

export type SentRequest = { method: string; path: string; body: string }

/**
 * A smaller request that does only the first part of `sent`; the control plane runs it instead.
 * Undefined for a request that can't be applied in part.
 */
export function partialRequest(sent: SentRequest, keep: number): SentRequest | undefined {
  const kind = kinds.find(({ method, path }) => method === sent.method && path.test(sent.path))
  return kind?.part(sent, keep)
}

export function canBePartial({ method, path }: Omit<SentRequest, "body">): boolean {
  return kinds.some((kind) => kind.method === method && kind.path.test(path))
}

type Kind = { method: string; path: RegExp; part: (sent: SentRequest, keep: number) => SentRequest }

const kinds: Kind[] = [
  { method: "PUT", path: /\/scripts\/[^/]+\/(?:routes|schedules)$/, part: firstOf([]) },
  { method: "PUT", path: /\/scripts\/[^/]+\/domains\/records$/, part: firstOf(["origins"]) },
  { method: "PATCH", path: /\/scripts\/[^/]+\/secrets-bulk$/, part: firstOf(["secrets"]) },
  { method: "POST", path: /\/d1\/database\/[^/]+\/(?:query|raw)$/, part: firstStatements },
  // Creates the Worker without its code.
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

/** Keeps the first entries of the body, or of the property of it that `keys` names. */
function firstOf(keys: string[]) {
  return (sent: SentRequest, keep: number): SentRequest => {
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

function firstStatements(sent: SentRequest, keep: number): SentRequest {
  const query = parseJson(sent.body)
  if (typeof query !== "object" || query === null) return sent
  if ("batch" in query) return firstOf(["batch"])(sent, keep)
  if (!("sql" in query) || typeof query.sql !== "string") return sent
  const sql = splitStatements(query.sql).slice(0, keep).join(";\n")
  return { ...sent, body: JSON.stringify({ ...query, sql }) }
}
