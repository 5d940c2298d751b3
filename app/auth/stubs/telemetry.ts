/** Stands for better-auth's own, which is turned off: what is not there sends nothing. */
export const createTelemetry = () => ({ publish: () => Promise.resolve() })
