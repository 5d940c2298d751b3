/** A tail Worker that runs beside a Worker, and the plane's way to both. */

/** Milliseconds since 1970. Traces cost a request each, so they are sent only while subscribed. */
let subscribedUntil = 0

export default {
  /**
   * Prints uncaught exceptions, because workerd's own log line has no stack.
   *
   * @param {{ exceptions: { name: string; message: string; stack?: string }[] }[]} traces
   * @param {{ PLANE: { fetch: typeof fetch }; PLANE_HEADERS: Record<string, string> }} env
   */
  async tail(traces, env) {
    for (const { name, message, stack = "" } of traces.flatMap(({ exceptions }) => exceptions)) {
      // oxlint-disable-next-line no-console -- the way to workerd's log
      console.error(`Uncaught ${name}: ${message}\n${stack}`.trimEnd())
    }
    if (Date.now() > subscribedUntil) return
    const body = JSON.stringify(traces)
    await env.PLANE.fetch("http://plane/", { method: "POST", headers: env.PLANE_HEADERS, body })
  },

  /**
   * `/traces` subscribes the plane to traces for as many milliseconds as the body says, `/scheduled` fires
   * a cron.
   *
   * @param {Request} request
   * @param {{ SECRET: string; WORKER: { scheduled(event: object): Promise<{ outcome: string }> } }} env
   */
  async fetch(request, env) {
    // Any web page can reach loopback.
    if (request.headers.get("secret") !== env.SECRET) return new Response(null, { status: 403 })
    const { pathname } = new URL(request.url)
    if (pathname === "/scheduled") return fire(request, env)
    const { lifetime } = /** @type {{ lifetime: number }} */ (await request.json())
    subscribedUntil = Date.now() + lifetime
    return new Response()
  },
}

/**
 * @param {Request} request
 * @param {{ WORKER: { scheduled(event: object): Promise<{ outcome: string }> } }} env
 */
async function fire(request, { WORKER }) {
  const { cron, scheduledTime } = /** @type {{ cron: string; scheduledTime: number }} */ (
    await request.json()
  )
  const { outcome } = await WORKER.scheduled({ cron, scheduledTime: new Date(scheduledTime) })
  return Response.json({ outcome })
}
