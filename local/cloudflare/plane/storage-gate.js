/**
 * Runs in the process that owns all storage, in front of it: databases of D1, namespaces of KV and
 * counters of rate limits, for the Workers of all other processes and for the control plane.
 */
const known = new Set()

/** Whether queries may have to be spoilt; undefined until the plane was asked. */
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
    // Without this a Worker that still is bound to a dropped database would create it anew.
    if (!found.ok) return failure(`The database ${database} could not be found`)
    known.add(database)
  }
  faulty ??= (await env.PLANE.fetch("http://plane/faulty")).ok
  if (faulty) return spoil(request, env, database)
  return run(request, env)
}

/**
 * @param {Request} request
 * @param {{ PLANE: { fetch: typeof fetch }; d1: { fetch: typeof fetch } }} env
 * @param {string} database
 */
async function spoil(request, env, database) {
  const sent = /** @type {{ sql: string } | { sql: string }[]} */ (await request.json())
  const statements = [sent].flat()
  const asked = await env.PLANE.fetch(`http://plane/faults/${database}`, {
    method: "POST",
    body: statements.map(({ sql }) => sql).join("\n"),
  })
  const { url, method, headers } = request
  if (!asked.ok) return run(new Request(url, { method, headers, body: JSON.stringify(sent) }), env)
  const spoiling = /** @type {import("../faults/database-faults.ts").QueryFault} */ (
    await asked.json()
  )
  const { keep = statements.length, error, late } = spoiling
  const body = JSON.stringify(keep < statements.length ? statements.slice(0, keep) : sent)
  if (keep > 0) await (await run(new Request(url, { method, headers, body }), env)).text()
  if (late) await env.PLANE.fetch("http://plane/patience")
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
    // The reason is in workerd's log alone, and the plane reads that.
    const reason = await env.PLANE.fetch(`http://plane/failures/${reference}`)
    if (!reason.ok) throw error
    return failure(await reason.text())
  }
}

/** @param {string} error */
function failure(error) {
  return Response.json({ success: false, error })
}
