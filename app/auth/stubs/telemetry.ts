/** Replaces better-auth's telemetry, which is turned off. */
export function createTelemetry() {
  return { publish: () => Promise.resolve() }
}
