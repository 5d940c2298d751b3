import { createRequire, registerHooks } from "node:module"

import type * as Package from "miniflare"
import type { Config, Extension, Worker_Binding } from "miniflare"
import * as z from "zod"

const file = "/miniflare/dist/src/index.js"
/** Parts of Miniflare's code, and what stands there instead. */
const changes = [
  ["var MIN_SINGLE_SEGMENT_GROWTH = 4096;", "var MIN_SINGLE_SEGMENT_GROWTH = 1048576;"],
  ["serializeConfig(config3);", "serializeConfig(module.exports.leanConfig(config3));"],
] as const

/**
 * Miniflare writes a Worker's configuration, its modules included, into one buffer, which its
 * capnp-es (lib/serialization/arena/single-segment-arena) makes longer by 4 KiB and copies each time:
 * 220 MB for a Worker of three, a fifth of what a start takes. Here `load` gets one with long steps,
 * which passes each configuration to its export `leanConfig` first.
 */
function withOwnConfig<Loaded>(load: () => Loaded): Loaded {
  const hooks = registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      if (!url.endsWith(file)) return loaded
      return { ...loaded, source: withChanges(textOf(loaded.source ?? "")) }
    },
  })
  try {
    return load()
  } finally {
    hooks.deregister()
  }
}

/** Throws where another Miniflare lacks a part: unchanged it works as well, but several times slower. */
export function withChanges(source: string): string {
  return changes.reduce((text, [part, instead]) => {
    if (text.split(part).length === 2) return text.replace(part, instead)
    const times = `${text.split(part).length - 1} times instead of once`
    throw new Error(`Adapt miniflare-package.ts: Miniflare has \`${part}\` ${times}.`)
  }, source)
}

function textOf(source: string | ArrayBuffer | NodeJS.TypedArray): string {
  return typeof source === "string" ? source : new TextDecoder().decode(source)
}

type Service = NonNullable<Config["services"]>[number]
type Worker = NonNullable<Extract<Service, { worker?: unknown }>["worker"]>

/** The Worker that stands beside the one to run, in the same process; contains a space, as no script does. */
export const observerName = "the observer"

/** Headers with which a Worker's request to `PLANE` finds its handler in this process. */
const planeHeaders = "PLANE_HEADERS"

/**
 * Miniflare's configuration without what nothing uses here. Each Worker takes an isolate, so the
 * complete one takes ten times the processor time of an empty Worker: a Worker in front of all others
 * with a proxy for bindings, one that stores e-mail, a cache for each Worker, and one for each handler
 * in this process. Here `observer.js` is the entry, handlers are called directly, and what is not
 * reachable from a socket goes.
 */
export function leanConfig(config: Config): Config {
  const allServices = config.services ?? []
  // Someone else's, who has loaded the same Miniflare.
  if (!allServices.some(({ name }) => name === userService(observerName))) return config
  const handlers = new Map(allServices.flatMap(handlerIn))
  const entry = { service: { name: userService(observerName) } }
  const sockets = (config.sockets ?? []).map((socket) =>
    socket.name === "entry" ? Object.assign(socket, entry) : socket,
  )
  const changed = allServices.map((service) => leanService(service, handlers))
  const services = reachable(
    changed,
    sockets.map(({ service }) => service?.name ?? ""),
  )
  const extensions = config.extensions?.map((extension) => withoutUnusedParts(extension, services))
  return { ...config, sockets, services, ...(extensions && { extensions }) }
}

/** Miniflare's name of a service that runs a Worker. */
function userService(worker: string): string {
  return `core:user:${worker}`
}

/** Miniflare's Worker that sends requests to a handler in this process, and how it names the handler. */
function handlerIn(service: Service): [string, string][] {
  const { name = "" } = service
  if (!name.startsWith("core:custom-fetch:") || !("worker" in service)) return []
  return (service.worker?.bindings ?? []).flatMap((binding) =>
    "text" in binding && binding.text !== undefined ? [[name, binding.text]] : [],
  )
}

function leanService(service: Service, handlers: Map<string, string>): Service {
  if (!("worker" in service) || service.worker === undefined) return service
  const { name = "", worker } = service
  const isOwn = name === userService(observerName) || hasHandler(worker, handlers)
  const { globalOutbound, cacheApiOutbound, ...rest } = worker
  const bindings = (worker.bindings ?? []).flatMap((binding) => direct(binding, handlers))
  return {
    ...service,
    worker: {
      ...rest,
      bindings,
      ...(!isOwn && globalOutbound && { globalOutbound }),
      ...(usesCache(worker) && cacheApiOutbound && { cacheApiOutbound }),
    },
  }
}

/** Only the storage's gate calls this process, and it calls nothing else. */
function hasHandler({ bindings = [] }: Worker, handlers: Map<string, string>): boolean {
  return bindings.some((binding) => handlers.has(serviceOf(binding)))
}

function direct(binding: Worker_Binding, handlers: Map<string, string>): Worker_Binding[] {
  const handler = handlers.get(serviceOf(binding))
  if (handler === undefined) return [binding]
  const headers = JSON.stringify({ "MF-Custom-Fetch-Service": handler })
  return [
    { ...binding, service: { name: "loopback" } },
    { name: planeHeaders, json: headers },
  ]
}

function serviceOf(binding: Worker_Binding): string {
  return ("service" in binding && binding.service?.name) || ""
}

/** Code without the word cannot reach `caches`. */
function usesCache(worker: Worker): boolean {
  return textsOf(worker).some((text) => text.includes("caches"))
}

function textsOf(worker: Worker): string[] {
  if (!("modules" in worker)) return []
  return (worker.modules ?? []).flatMap((module) =>
    Object.values(module).filter((value) => typeof value === "string"),
  )
}

/** The services that `roots` lead to, in any way: by a binding, as the way out or as a place on disk. */
function reachable(services: Service[], roots: string[]): Service[] {
  const byName = new Map(services.map((service) => [service.name ?? "", service]))
  const reachedNames = new Set<string>()
  const open = [...roots]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const service = byName.get(name)
    if (service === undefined || reachedNames.has(name)) continue
    reachedNames.add(name)
    open.push(...namesIn(service))
  }
  // Workers without a way out of their own have none here; those with one end in this.
  const isOnline = [...reachedNames].some((name) => name.startsWith("outbound:"))
  return services.filter(
    ({ name = "" }) => reachedNames.has(name) || (name === "internet" && isOnline),
  )
}

/** Every short text in a service but the code of its modules; a few of them name other services. */
function namesIn(service: Service): string[] {
  const names: string[] = []
  JSON.stringify(service, (key, value: unknown) => {
    if (key === "modules" || key === "json" || value instanceof Uint8Array) return undefined
    if (typeof value === "string") names.push(value)
    return value
  })
  return names
}

/** The larger part of what Miniflare adds to every process is a library that only its D1 needs. */
function withoutUnusedParts({ modules = [] }: Extension, services: Service[]): Extension {
  const texts = services.flatMap((service) =>
    "worker" in service && service.worker !== undefined ? textsOf(service.worker) : [],
  )
  const isUsed = (name: string) => texts.some((text) => text.includes(`"${name}"`))
  return { modules: modules.filter(({ name = "" }) => name !== "miniflare:zod" || isUsed(name)) }
}

/**
 * `import` would parse all of Miniflare's six megabytes on every start, to find out that they are
 * CommonJS; `require` takes the compile cache.
 */
const miniflare: typeof Package = withOwnConfig(() => createRequire(import.meta.url)("miniflare"))
Object.assign(miniflare, { leanConfig })

/** Miniflare's own copy of workerd. */
const workerd = z
  .object({ compatibilityDate: z.iso.date() })
  .parse(createRequire(import.meta.resolve("miniflare"))("workerd"))

/** The newest that this workerd knows. */
export const newestCompatibilityDate = workerd.compatibilityDate

export const { Log, LogLevel, Miniflare, PLUGINS, Response } = miniflare
