/**
 * Runs in the process that owns all storage, in front of it: databases of D1, namespaces of KV and
 * counters of rate limits, for the Workers of all other processes and for the control plane.
 */
const known = new Set()

export default {
  /**
   * @param {Request} request
   * @param {{ SECRET: string; PLANE: Fetcher; d1: Fetcher; kv: Fetcher; "rate-limit": Fetcher }} env
   * @typedef {{ fetch: typeof fetch }} Fetcher
   */
  async fetch(request, env) {
    if (request.headers.get("Storage-Secret") !== env.SECRET)
      return new Response(null, { status: 403 })
    const namespace = request.headers.get("MF-Namespace") ?? ""
    const product = request.headers.get("Storage-Product")
    if (product === "d1") return query(request, env, namespace)
    if (product === "kv" || product === "rate-limit") return env[product].fetch(request)
    if (product !== "forget") return new Response(null, { status: 400 })
    known.delete(namespace)
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
