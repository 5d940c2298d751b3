/** Runs beside a Worker and prints what it did not catch: workerd's own line has no stack. */
export default {
  /** @param {{ exceptions: { name: string; message: string; stack?: string }[] }[]} events */
  tail(events) {
    for (const { name, message, stack = "" } of events.flatMap(({ exceptions }) => exceptions)) {
      // oxlint-disable-next-line no-console -- the way to workerd's log
      console.error(`Uncaught ${name}: ${message}\n${stack}`.trimEnd())
    }
  },
}
