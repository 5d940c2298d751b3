/** A tail Worker that runs beside a Worker. */

/** Milliseconds since 1970. Traces cost a request each, so they are sent only while subscribed. */
let subscribedUntil = 0

export default {
  /**
   * Prints uncaught exceptions, because workerd's own log line has no stack.
   *
   * @param {{ exceptions: { name: string; message: string; stack?: string }[] }[]} traces
   * @param {{ PLANE: { fetch: typeof fetch } }} env
   */
  async tail(traces, env) {
    for (const { name, message, stack = "" } of traces.flatMap(({ exceptions }) => exceptions)) {
      // oxlint-disable-next-line no-console -- the way to workerd's log
      console.error(`Uncaught ${name}: ${message}\n${stack}`.trimEnd())
    }
    if (Date.now() > subscribedUntil) return
    await env.PLANE.fetch("http://plane/", { method: "POST", body: JSON.stringify(traces) })
  },

  /**
   * Subscribes the plane to traces for as many milliseconds as the body says.
   *
   * @param {Request} request
   */
  async fetch(request) {
    subscribedUntil = Date.now() + Number(await request.text())
    return new Response()
  },
}
