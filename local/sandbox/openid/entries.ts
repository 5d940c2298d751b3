import type { Adapter, AdapterPayload } from "oidc-provider"

/** Entries kept; older ones are dropped. */
const capacity = 1000

/** Where the provider keeps codes, tokens and sessions: in memory, for as long as they are valid. */
export function createEntries(): (name: string) => Adapter {
  const entries = new Map<string, { payload: AdapterPayload; until: number }>()

  return (name) => {
    const keyOf = (id: string) => `${name} ${id}`
    const find = (matches: (key: string, payload: AdapterPayload) => boolean) => {
      for (const [key, { payload, until }] of entries) {
        if (until > Date.now() && matches(key, payload)) return Promise.resolve(payload)
      }
      return Promise.resolve(undefined)
    }
    const findIn = (matches: (payload: AdapterPayload) => boolean) =>
      find((key, payload) => key.startsWith(keyOf("")) && matches(payload))

    return {
      async upsert(id, payload, seconds = 3600) {
        const key = keyOf(id)
        entries.delete(key)
        entries.set(key, { payload, until: Date.now() + seconds * 1000 })
        const [oldest] = entries.keys()
        if (entries.size > capacity && oldest !== undefined) entries.delete(oldest)
      },
      find: (id) => find((key) => key === keyOf(id)),
      findByUid: (uid) => findIn((payload) => payload.uid === uid),
      findByUserCode: (code) => findIn((payload) => payload.userCode === code),
      async consume(id) {
        const entry = entries.get(keyOf(id))
        if (entry) entry.payload.consumed = Math.floor(Date.now() / 1000)
      },
      async destroy(id) {
        entries.delete(keyOf(id))
      },
      async revokeByGrantId(grantId) {
        for (const [key, { payload }] of entries) {
          if (payload.grantId === grantId) entries.delete(key)
        }
      },
    }
  }
}
