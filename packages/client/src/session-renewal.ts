import { read, write } from "./storage.ts"

/** Milliseconds. The service extends a session at most once a day, when it is asked for the session. */
const interval = 60 * 60 * 1000
const key = "accounts.renewed"

/**
 * Renews the session of an active user: it ends a week after the last request for the session, regardless of
 * other calls. Uses no timer, so that the session of an idle page still ends. The browser's storage keeps the
 * time, so that opening a page needs no request.
 */
export function createSessionRenewal(renew: () => Promise<{ error?: unknown }>) {
  let renewedAt = Number(read(key)) || undefined
  /** Records that the service was asked for the session. */
  const renewed = () => {
    renewedAt = Date.now()
    write(key, renewedAt)
  }
  return {
    renewed,
    /**
     * Called after a call with a session has succeeded. No caller waits for the renewal; a failed renewal is
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
