/** Runs beside a Worker and sees what it did. */

/** Milliseconds since 1970. Nobody asks most of the time, and telling costs a hop for each request. */
let followedUntil = 0

export default {
  /**
   * Prints what the Worker did not catch: workerd's own line has no stack.
   *
   * @param {{ exceptions: { name: string; message: string; stack?: string }[] }[]} traces
   * @param {{ PLANE: { fetch: typeof fetch } }} env
   */
  async tail(traces, env) {
    for (const { name, message, stack = "" } of traces.flatMap(({ exceptions }) => exceptions)) {
      // oxlint-disable-next-line no-console -- the way to workerd's log
      console.error(`Uncaught ${name}: ${message}\n${stack}`.trimEnd())
    }
    if (Date.now() > followedUntil) return
    await env.PLANE.fetch("http://plane/", { method: "POST", body: JSON.stringify(traces) })
  },

  /**
   * Makes it tell the plane what it sees, for as many milliseconds as the body says.
   *
   * @param {Request} request
   */
  async fetch(request) {
    followedUntil = Date.now() + Number(await request.text())
    return new Response()
  },
}
