import { read, write } from "./storage.ts"

/** Milliseconds. The service extends a session at most once a day, when it is asked for the session. */
const interval = 60 * 60 * 1000
const key = "accounts.renewed"

/**
 * Renews the session of a user who is active in the front end: it ends a week after it was last asked for,
 * however much else is called. Without timers, so that a page left open ends as it should; the browser
 * remembers when, so that opening a page asks for nothing.
 */
export function createSessionRenewal(renew: () => Promise<{ error?: unknown }>) {
  let renewedAt = Number(read(key)) || undefined
  /** The service has been asked for the session. */
  const renewed = () => {
    renewedAt = Date.now()
    write(key, renewedAt)
  }
  return {
    renewed,
    /**
     * Called after a call with a session has succeeded. No caller waits for the renewal; a failed one is
     * tried again.
     */
    used: async () => {
      const before = renewedAt
      if (before === undefined) return renewed()
      if (Math.abs(Date.now() - before) < interval) return
      renewedAt = Date.now()
      const { error } = await renew()
      if (error === undefined) renewed()
      else renewedAt = before
    },
  }
}
