/** A tail Worker that runs beside a Worker, and the plane's way to its crons. */

export default {
  /**
   * Prints uncaught exceptions, because workerd's own log line has no stack.
   *
   * @param {{ exceptions: { name: string; message: string; stack?: string }[] }[]} traces
   */
  tail(traces) {
    for (const { name, message, stack = "" } of traces.flatMap(({ exceptions }) => exceptions)) {
      // oxlint-disable-next-line no-console -- the way to workerd's log
      console.error(`Uncaught ${name}: ${message}\n${stack}`.trimEnd())
    }
  },

  /**
   * Fires a cron.
   *
   * @param {Request} request
   * @param {{ SECRET: string; WORKER: { scheduled(event: object): Promise<{ outcome: string }> } }} env
   */
  async fetch(request, { SECRET, WORKER }) {
    // Any web page can reach loopback.
    if (request.headers.get("secret") !== SECRET) return new Response(null, { status: 403 })
    const { cron, scheduledTime } = /** @type {{ cron: string; scheduledTime: number }} */ (
      await request.json()
    )
    const { outcome } = await WORKER.scheduled({ cron, scheduledTime: new Date(scheduledTime) })
    return Response.json({ outcome })
  },
}
