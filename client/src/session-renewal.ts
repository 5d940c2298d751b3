/** Milliseconds. The service extends a session at most once a day, when it is asked for the session. */
const interval = 60 * 60 * 1000

/**
 * Keeps the session of somebody who uses the front end: it ends a week after it was last asked for,
 * however much else is called. Without timers, so that a page left open ends as it should.
 */
export function createSessionRenewal(renew: () => Promise<unknown>) {
  let renewedAt = -Infinity
  const renewed = () => (renewedAt = Date.now())
  return {
    /** The service has been asked for the session. */
    renewed,
    /** A call with a session has succeeded. Nobody waits for the renewal. */
    used: () => {
      if (Date.now() - renewedAt < interval) return
      renewed()
      void renew()
    },
  }
}
