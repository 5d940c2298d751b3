/**
 * Guards the databases and rate-limit counters in the process that owns them, for the control plane
 * and for the Workers in all other processes.
 */
const known = new Set()

/** Whether fault rules match queries; undefined until the plane has been asked. */
let faulty = /** @type {boolean | undefined} */ (undefined)

export default {
  /**
   * @param {Request} request
   * @param {{ SECRET: string; PLANE: Fetcher; d1: Fetcher; "rate-limit": Fetcher }} env
   * @typedef {{ fetch: typeof fetch }} Fetcher
   */
  async fetch(request, env) {
    if (request.headers.get("Storage-Secret") !== env.SECRET) {
      return new Response(null, { status: 403 })
    }
    const namespace = request.headers.get("MF-Namespace") ?? ""
    const product = request.headers.get("Storage-Product")
    if (product === "d1") return query(request, env, namespace)
    if (product === "rate-limit") return env[product].fetch(request)
    if (product === "faults") faulty = undefined
    else if (product === "forget") known.delete(namespace)
    else return new Response(null, { status: 400 })
    return new Response(null, { status: 204 })
  },
}

/**
 * @param {Request} request
 * @param {{ PLANE: { fetch: typeof fetch }; d1: { fetch: typeof fetch } }} env
 * @param {string} database
 */
async function query(request, env, database) {
  if (!known.has(database)) {
    const found = await env.PLANE.fetch(`http://plane/databases/${database}`)
    // Otherwise a Worker still bound to a dropped database would recreate it.
    if (!found.ok) return failure(`The database ${database} could not be found`)
    known.add(database)
  }
  faulty ??= (await env.PLANE.fetch("http://plane/faulty")).ok
  if (faulty) return queryWithFault(request, env, database)
  return run(request, env)
}

/**
 * @param {Request} request
 * @param {{ PLANE: { fetch: typeof fetch }; d1: { fetch: typeof fetch } }} env
 * @param {string} database
 */
async function queryWithFault(request, env, database) {
  const sent = /** @type {{ sql: string } | { sql: string }[]} */ (await request.json())
  const statements = [sent].flat()
  const found = await env.PLANE.fetch(`http://plane/faults/${database}`, {
    method: "POST",
    body: statements.map(({ sql }) => sql).join("\n"),
  })
  const { url, method, headers } = request
  if (!found.ok) return run(new Request(url, { method, headers, body: JSON.stringify(sent) }), env)
  const fault = /** @type {import("../faults/database-faults.ts").QueryFault} */ (
    await found.json()
  )
  const { keep = statements.length, error, late } = fault
  const body = JSON.stringify(keep < statements.length ? statements.slice(0, keep) : sent)
  if (keep > 0) await (await run(new Request(url, { method, headers, body }), env)).text()
  if (late) await env.PLANE.fetch("http://plane/timeout")
  return failure(error)
}

/**
 * @param {Request} request
 * @param {{ PLANE: { fetch: typeof fetch }; d1: { fetch: typeof fetch } }} env
 */
async function run(request, env) {
  try {
    return await env.d1.fetch(request)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const reference = /reference = (\w+)/.exec(message)?.[1]
    if (reference === undefined) throw error
    // Only workerd's log has the reason, and the plane reads that log.
    const reason = await env.PLANE.fetch(`http://plane/failures/${reference}`)
    if (!reason.ok) throw error
    return failure(await reason.text())
  }
}

/** @param {string} error */
function failure(error) {
  return Response.json({ success: false, error })
}
