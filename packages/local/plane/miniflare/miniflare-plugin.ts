import type {
  Extension,
  ParsedWorkerOptions,
  Plugin,
  Service,
  ServiceDesignator,
  Worker_Binding,
} from "miniflare"
import * as z from "zod"

import {
  OwnedStorage,
  RemoteStorage,
  type StorageBinding,
  storageHeader,
} from "../storage/storage-binding.ts"
import { PLUGINS } from "./miniflare-package.ts"

/** A binding of an unsupported product. Using it throws `reason`. */
const Unavailable = z.strictObject({
  type: z.literal("unsafe:unavailable"),
  dev: z.strictObject({
    plugin: z.strictObject({ package: z.string(), name: z.literal("unavailable") }),
    options: z.strictObject({ reason: z.string() }),
  }),
})

const moduleName = "local-cloudflare:unavailable"

/** Returns undefined for the keys that JavaScript itself reads from any object, so that `env` can be printed. */
const esModule = `export default ({ reason }) => {
  const fail = () => { throw new Error(reason) }
  const get = (_, key) => typeof key === "symbol" || key === "then" || key === "toJSON" ? undefined : fail()
  return new Proxy(function () {}, { get, set: fail, apply: fail, construct: fail })
}`

export function unavailable(reason: string): z.infer<typeof Unavailable> {
  const plugin = {
    package: `${import.meta.dirname}/miniflare-plugin.ts`,
    name: "unavailable",
  } as const
  return { type: "unsafe:unavailable", dev: { plugin, options: { reason } } }
}

/** Miniflare loads this plugin by the path above. */
export const unavailablePlugin: Plugin = {
  async getBindings(options) {
    return unavailableIn(options).map(({ name, reason }) => ({
      name,
      wrapped: { moduleName, innerBindings: [{ name: "reason", text: reason }] },
    }))
  },
  getNodeBindings: () => ({}),
  getServices: async () => [],
  async getExtensions({ options }) {
    const isUsed = options.some((worker) => unavailableIn(worker).length > 0)
    return isUsed ? [{ modules: [{ name: moduleName, internal: true, esModule }] }] : []
  },
}

function unavailableIn({ config }: ParsedWorkerOptions): { name: string; reason: string }[] {
  return Object.entries(config.env ?? {}).flatMap(([name, binding]) => {
    const { data } = Unavailable.safeParse(binding)
    return data === undefined ? [] : [{ name, reason: data.dev.options.reason }]
  })
}

/**
 * Miniflare loads this file by its path for bindings of the types below.
 *
 * If processes share databases, Miniflare elects an owner after every restart. Here one process always owns the
 * databases, and the others use it over HTTP: their bindings are Miniflare's, with an address in place of the inner
 * service.
 */
const storage: Plugin = {
  async getBindings(options, shared, index) {
    const bindings = declaredIn(options).map(async ({ name, declared }) => {
      const plugin = nativePlugin(declared)
      const native =
        (await plugin.getBindings(asNative(options, name, declared), shared, index)) ?? []
      return native.map((binding) =>
        declared.type === "unsafe:remote-storage"
          ? redirect(binding, { name: serviceName(name) })
          : { name, durableObjectNamespace: objects[declared.dev.options.binding.type] },
      )
    })
    return (await Promise.all(bindings)).flat()
  },

  // For Miniflare's magic proxy, which nothing uses here.
  getNodeBindings: () => ({}),

  async getServices(context) {
    const services = declaredIn(context.options).map(async ({ name, declared }) => {
      if (declared.type === "unsafe:remote-storage") return [externalService(name, declared)]
      const options = asNative(context.options, name, declared)
      const native = (await nativePlugin(declared).getServices({ ...context, options })) ?? []
      return Array.isArray(native) ? native : native.services
    })
    return (await Promise.all(services)).flat()
  },

  async getExtensions({ options }) {
    const extensions = options.flatMap((worker) =>
      declaredIn(worker).map(async ({ name, declared }) => {
        const native = await nativePlugin(declared).getExtensions?.({
          options: [asNative(worker, name, declared)],
        })
        return native ?? []
      }),
    )
    return withoutRepeats((await Promise.all(extensions)).flat())
  },
}

export const plugins = { storage, unavailable: unavailablePlugin }

const Declared = z.discriminatedUnion("type", [RemoteStorage, OwnedStorage])
type Declared = z.infer<typeof Declared>

function declaredIn(options: ParsedWorkerOptions): { name: string; declared: Declared }[] {
  return Object.entries(options.config.env ?? {}).flatMap(([name, binding]) => {
    const { data } = Declared.safeParse(binding)
    return data === undefined ? [] : [{ name, declared: data }]
  })
}

function nativePlugin({ dev }: Declared): Plugin {
  const plugin = {
    d1: PLUGINS.d1,
    kv: PLUGINS.kv,
    r2: PLUGINS.r2,
    "rate-limit": PLUGINS.ratelimit,
  }
  return plugin[dev.options.binding.type]
}

function asNative(options: ParsedWorkerOptions, name: string, { dev }: Declared) {
  return { ...options, config: { ...options.config, env: { [name]: dev.options.binding } } }
}

/** The Durable Objects behind Miniflare's bindings. The caller names an object, such as a database, by its id. */
const objects = {
  d1: { serviceName: "d1:db", className: "D1DatabaseObject" },
  kv: { serviceName: "kv:ns", className: "KVNamespaceObject" },
  r2: { serviceName: "r2:bucket", className: "R2BucketObject" },
  "rate-limit": { serviceName: "ratelimit:ns", className: "RateLimiterObject" },
}

function redirect(binding: Worker_Binding, service: ServiceDesignator): Worker_Binding {
  if ("kvNamespace" in binding) return { ...binding, kvNamespace: service }
  if ("r2Bucket" in binding) return { ...binding, r2Bucket: service }
  if (!("wrapped" in binding)) return binding
  const innerBindings = binding.wrapped?.innerBindings?.map((inner) =>
    "service" in inner ? { ...inner, service } : inner,
  )
  return { ...binding, wrapped: { ...binding.wrapped, ...(innerBindings && { innerBindings }) } }
}

function serviceName(binding: string) {
  return `storage:${binding}`
}

function externalService(name: string, { dev }: RemoteStorage): Service {
  const { binding, address, secret } = dev.options
  return {
    name: serviceName(name),
    external: {
      address,
      http: {
        injectRequestHeaders: [
          { name: storageHeader.product, value: binding.type },
          { name: storageHeader.namespace, value: idOf(binding) },
          { name: storageHeader.secret, value: secret },
        ],
      },
    },
  }
}

function idOf(binding: StorageBinding): string {
  if (binding.type === "rate-limit") return binding.namespace
  return binding.type === "r2" ? binding.name : binding.id
}

function withoutRepeats(extensions: Extension[]) {
  const keys = new Set<string>()
  return extensions.filter((extension) => {
    const key = JSON.stringify(extension.modules?.map(({ name }) => name))
    return !keys.has(key) && keys.add(key)
  })
}
