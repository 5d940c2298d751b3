/**
 * Guards the databases, KV namespaces, R2 buckets and rate-limit counters in the process that owns them, for the control plane
 * and for the Workers in all other processes.
 */
const knownDatabases = new Set()

/** Whether fault rules match queries; undefined until the plane has been asked. */
let faulty = /** @type {boolean | undefined} */ (undefined)

/**
 * The objects of a product, of which each has a name.
 *
 * @typedef {{ idFromName(name: string): unknown; get(id: unknown): { fetch(request: Request, init: object): Promise<Response> } }} Namespace
 * @typedef {{ SECRET: string; PLANE: { fetch: typeof fetch }; PLANE_HEADERS: Record<string, string>; d1: Namespace; kv: Namespace; r2: Namespace; "rate-limit": Namespace }} Env
 */

export default {
  /**
   * @param {Request} request
   * @param {Env} env
   */
  async fetch(request, env) {
    if (request.headers.get("Storage-Secret") !== env.SECRET) {
      return new Response(null, { status: 403 })
    }
    const namespace = request.headers.get("MF-Namespace") ?? ""
    const product = request.headers.get("Storage-Product")
    if (product === "d1") return query(request, env, namespace)
    if (product === "kv" || product === "r2" || product === "rate-limit") {
      return askObject(env[product], request)
    }
    if (product === "faults") faulty = undefined
    else if (product === "forget") knownDatabases.delete(namespace)
    else return new Response(null, { status: 400 })
    return new Response(null, { status: 204 })
  },
}

/**
 * @param {Request} request
 * @param {Env} env
 * @param {string} database
 */
async function query(request, env, database) {
  if (!knownDatabases.has(database)) {
    const response = await askPlane(env, `databases/${database}`)
    // Otherwise a Worker still bound to a dropped database would recreate it.
    if (!response.ok) return failure(`The database ${database} could not be found`)
    knownDatabases.add(database)
  }
  faulty ??= (await askPlane(env, "faulty")).ok
  const { url, method } = request
  const body = await request.text()
  const { headers } = request
  const withBody = (/** @type {string} */ text) => new Request(url, { method, headers, body: text })
  while (resetting.has(database)) await resetting.get(database)
  const answer = faulty
    ? queryWithFault(withBody, env, { database, body })
    : run(withBody(body), env)
  if (!/pragma/i.test(body)) return answer
  const reset = new Request(new URL("/query", url), {
    method,
    headers,
    body: JSON.stringify(defaults),
  })
  const done = answer
    .catch(() => {})
    .then(() => run(reset, env))
    .catch(() => {})
    .finally(() => resetting.get(database) === done && resetting.delete(database))
  resetting.set(database, done)
  await done
  return answer
}

/** Statements that reset the connection's settings. SQLite itself resets `defer_foreign_keys` at each commit. */
const defaults = [
  "case_sensitive_like",
  "ignore_check_constraints",
  "legacy_alter_table",
  "recursive_triggers",
  "reverse_unordered_selects",
].map((name) => ({ sql: `PRAGMA ${name} = off`, params: [] }))

/**
 * Databases whose settings are being reset: "D1 PRAGMA statements only apply to the current transaction"
 * (developers.cloudflare.com/d1/sql-api/sql-statements), but SQLite keeps them for the connection.
 *
 * @type {Map<string, Promise<unknown>>}
 */
const resetting = new Map()

/**
 * @param {(body: string) => Request} withBody
 * @param {Env} env
 * @param {{ database: string; body: string }} query
 */
async function queryWithFault(withBody, env, { database, body: text }) {
  const queries = /** @type {{ sql: string } | { sql: string }[]} */ (JSON.parse(text))
  const statements = [queries].flat()
  const response = await askPlane(env, `faults/${database}`, {
    method: "POST",
    body: statements.map(({ sql }) => sql).join("\n"),
  })
  if (!response.ok) return run(withBody(text), env)
  const fault = /** @type {import("../plane.ts").QueryFault} */ (await response.json())
  const { applied, error, late } = fault
  if (applied) await (await run(withBody(text), env)).text()
  if (late) await askPlane(env, "timeout")
  return failure(error)
}

/**
 * @param {Request} request
 * @param {Env} env
 */
async function run(request, env) {
  try {
    return await askObject(env.d1, request)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const reference = /reference = (\w+)/.exec(message)?.[1]
    if (reference === undefined) throw error
    // Only workerd's log has the reason, and the plane reads that log.
    const reason = await askPlane(env, `failures/${reference}`)
    if (!reason.ok) throw error
    return failure(await reason.text())
  }
}

/** @param {string} error */
function failure(error) {
  return Response.json({ success: false, error })
}

/**
 * @param {Env} env
 * @param {string} path
 * @param {{ method: string; body: string }} [init]
 */
function askPlane({ PLANE, PLANE_HEADERS: headers }, path, init) {
  return PLANE.fetch(`http://plane/${path}`, { ...init, headers })
}

/**
 * Sends a request to an object like Miniflare's entry Worker for the product, which is not used here.
 * @param {Namespace} namespace
 * @param {Request} request
 */
function askObject(namespace, request) {
  const name = request.headers.get("MF-Namespace") ?? ""
  const headers = new Headers(request.headers)
  headers.delete("MF-Namespace")
  const object = namespace.get(namespace.idFromName(name))
  return object.fetch(new Request(request, { headers }), { cf: { miniflare: { name } } })
}
