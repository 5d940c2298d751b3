import * as z from "zod"

export type StorageAddress = {
  /** Host and port. */
  address: string
  /** Proves that this plane configured the caller: any web page can reach loopback. */
  secret: string
}

/** Headers between the two processes; Miniflare defines `MF-Namespace`. */
export const storageHeader = {
  namespace: "MF-Namespace",
  product: "Storage-Product",
  secret: "Storage-Secret",
} as const

export type StorageBinding =
  | { type: "d1" | "kv"; id: string }
  | { type: "r2"; name: string }
  | { type: "rate-limit"; namespace: string; simple: { limit: number; period: 10 | 60 } }

const plugin = z.strictObject({ package: z.string(), name: z.literal("storage") })

export const RemoteStorage = z.strictObject({
  type: z.literal("unsafe:remote-storage"),
  dev: z.strictObject({
    plugin,
    options: z.custom<StorageAddress & { binding: StorageBinding }>(),
  }),
})
export type RemoteStorage = z.infer<typeof RemoteStorage>

/** A binding of the storage process: gives access to every id of a product, not only its own. */
export const OwnedStorage = z.strictObject({
  type: z.literal("unsafe:owned-storage"),
  dev: z.strictObject({ plugin, options: z.custom<{ binding: StorageBinding }>() }),
})
export type OwnedStorage = z.infer<typeof OwnedStorage>

const plugged = {
  package: `${import.meta.dirname}/../miniflare/miniflare-plugin.ts`,
  name: "storage",
} as const

export function remoteStorage(binding: StorageBinding, address: StorageAddress): RemoteStorage {
  const options = { binding, ...address }
  return { type: "unsafe:remote-storage", dev: { plugin: plugged, options } }
}

export function ownedStorage(binding: StorageBinding): OwnedStorage {
  return { type: "unsafe:owned-storage", dev: { plugin: plugged, options: { binding } } }
}
