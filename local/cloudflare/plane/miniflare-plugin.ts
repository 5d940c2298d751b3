import { PLUGINS } from "miniflare"
import type {
  Extension,
  ParsedWorkerOptions,
  Plugin,
  Service,
  ServiceDesignator,
  Worker_Binding,
} from "miniflare"
import * as z from "zod"

import { staticAssets } from "./asset-plugin.ts"
import { OwnedStorage, RemoteStorage, storageHeader } from "./storage-binding.ts"

/**
 * Miniflare loads this file by its path and asks it about bindings of the types below.
 *
 * Miniflare's own way to share databases between processes elects an owner among them, anew after
 * every restart. Here one process owns them for good and the others reach it over HTTP: their
 * bindings are Miniflare's own, with the inner service exchanged for an address.
 */
const storage: Plugin = {
  async getBindings(options, shared, index) {
    const bindings = declaredIn(options).map(async ({ name, declared }) => {
      const native = nativePlugin(declared)
      const made =
        (await native.getBindings(asNative(options, name, declared), shared, index)) ?? []
      return made.map((binding) =>
        declared.type === "unsafe:remote-storage"
          ? redirect(binding, { name: serviceName(name) })
          : { name, service: { name: innerServiceName(binding) } },
      )
    })
    return (await Promise.all(bindings)).flat()
  },

  // These are for Miniflare's magic proxy, through which nobody reaches storage here.
  getNodeBindings: () => ({}),

  async getServices(context) {
    const services = declaredIn(context.options).map(async ({ name, declared }) => {
      if (declared.type === "unsafe:remote-storage") return [externalService(name, declared)]
      const options = asNative(context.options, name, declared)
      const made = (await nativePlugin(declared).getServices({ ...context, options })) ?? []
      return Array.isArray(made) ? made : made.services
    })
    return (await Promise.all(services)).flat()
  },

  async getExtensions({ options }) {
    const extensions = options.flatMap((worker) =>
      declaredIn(worker).map(async ({ name, declared }) => {
        const made = await nativePlugin(declared).getExtensions?.({
          options: [asNative(worker, name, declared)],
        })
        return made ?? []
      }),
    )
    return withoutRepeats((await Promise.all(extensions)).flat())
  },
}

export const plugins = { storage, "static-assets": staticAssets }

const Declared = z.discriminatedUnion("type", [RemoteStorage, OwnedStorage])
type Declared = z.infer<typeof Declared>

function declaredIn(options: ParsedWorkerOptions): { name: string; declared: Declared }[] {
  return Object.entries(options.config.env ?? {}).flatMap(([name, binding]) => {
    const { data } = Declared.safeParse(binding)
    return data === undefined ? [] : [{ name, declared: data }]
  })
}

function nativePlugin({ dev }: Declared): Plugin {
  const plugin = { d1: PLUGINS.d1, "rate-limit": PLUGINS.ratelimit }
  return plugin[dev.options.binding.type]
}

function asNative(options: ParsedWorkerOptions, name: string, { dev }: Declared) {
  return { ...options, config: { ...options.config, env: { [name]: dev.options.binding } } }
}

/**
 * Of the service behind a binding of Miniflare's, which is either a KV namespace or wrapped. Its
 * props hold the id of one database; without them the caller names it in a header.
 */
function innerServiceName(binding: Worker_Binding): string {
  const inner = "wrapped" in binding ? (binding.wrapped?.innerBindings ?? []) : []
  const services = inner.flatMap((one) => ("service" in one ? [one.service] : []))
  const name = services.find((service) => service !== undefined)?.name
  if (name === undefined) {
    throw new Error(`Miniflare made the binding ${binding.name} in a way that is not known here`)
  }
  return name
}

function redirect(binding: Worker_Binding, service: ServiceDesignator): Worker_Binding {
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
  const namespace = binding.type === "rate-limit" ? binding.namespace : binding.id
  return {
    name: serviceName(name),
    external: {
      address,
      http: {
        injectRequestHeaders: [
          { name: storageHeader.product, value: binding.type },
          { name: storageHeader.namespace, value: namespace },
          { name: storageHeader.secret, value: secret },
        ],
      },
    },
  }
}

function withoutRepeats(extensions: Extension[]) {
  const seen = new Set<string>()
  return extensions.filter((extension) => {
    const key = JSON.stringify(extension.modules?.map(({ name }) => name))
    return !seen.has(key) && seen.add(key)
  })
}
