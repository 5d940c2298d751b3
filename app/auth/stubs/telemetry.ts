/** Stands for better-auth's own, which is turned off: what is not there sends nothing. */
export function createTelemetry() {
  return { publish: () => Promise.resolve() }
}
