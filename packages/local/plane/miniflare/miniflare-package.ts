import { createRequire, registerHooks } from "node:module"

import type * as Package from "miniflare"
import type { Config, Extension, Worker_Binding } from "miniflare"
import * as z from "zod"

const file = "/miniflare/dist/src/index.js"
/** Replacements in Miniflare's code. */
const changes = [
  ["var MIN_SINGLE_SEGMENT_GROWTH = 4096;", "var MIN_SINGLE_SEGMENT_GROWTH = 1048576;"],
  ["serializeConfig(config3);", "serializeConfig(module.exports.leanConfig(config3));"],
] as const

/**
 * Runs `load` with a patched Miniflare. Miniflare writes a Worker's configuration and modules into one buffer, which
 * capnp-es (lib/serialization/arena/single-segment-arena) grows by 4 KiB, copying it each time: 220 MB for a Worker of
 * 3 MB, a fifth of its startup time. The patch grows the buffer in steps of 1 MiB, and first passes each configuration
 * to the export `leanConfig`.
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

/** @throws if Miniflare's code lacks a part to replace. Unpatched it would still work, but several times slower. */
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

/** The name of the Worker that runs beside the script in the same process. No script name has a space. */
export const observerName = "the observer"

/** The binding with the headers that a Worker's request to `PLANE` needs to reach its handler in this process. */
const planeHeaders = "PLANE_HEADERS"

/**
 * Removes the unused parts of Miniflare's configuration. Each Worker needs an isolate, and Miniflare adds several: an
 * entry Worker with a proxy for bindings, a Worker for e-mail, a cache per Worker, and a Worker per handler in this
 * process. They would take ten times the CPU time of an empty Worker. Here `observer.js` is the entry, handlers are
 * called directly, and services that no socket reaches are removed.
 */
export function leanConfig(config: Config): Config {
  const allServices = config.services ?? []
  // The configuration is another user's of the same Miniflare module.
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

/** Returns Miniflare's name for the service that runs a Worker. */
function userService(worker: string): string {
  return `core:user:${worker}`
}

/** Returns the name of a Worker that forwards requests to a handler in this process, with the handler's name. */
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

/** Returns whether a Worker calls this process. Only the storage gate does, and it calls nothing else. */
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

/** Returns whether a Worker's code contains the word `caches`, without which it cannot use the cache. */
function usesCache(worker: Worker): boolean {
  return textsOf(worker).some((text) => text.includes("caches"))
}

function textsOf(worker: Worker): string[] {
  if (!("modules" in worker)) return []
  return (worker.modules ?? []).flatMap((module) =>
    Object.values(module).filter((value) => typeof value === "string"),
  )
}

/** Returns the services that `roots` reach through bindings, outbound services or disk services. */
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
  // Every `outbound:` service uses `internet`; without one, no Worker has internet access.
  const isOnline = [...reachedNames].some((name) => name.startsWith("outbound:"))
  return services.filter(
    ({ name = "" }) => reachedNames.has(name) || (name === "internet" && isOnline),
  )
}

/** Returns all strings in a service except its modules. Some of them are names of other services. */
function namesIn(service: Service): string[] {
  const names: string[] = []
  JSON.stringify(service, (key, value: unknown) => {
    if (key === "modules" || key === "json" || value instanceof Uint8Array) return undefined
    if (typeof value === "string") names.push(value)
    return value
  })
  return names
}

/** Removes zod from Miniflare's extensions if no Worker uses it: it is most of their code, and only D1 needs it. */
function withoutUnusedParts({ modules = [] }: Extension, services: Service[]): Extension {
  const texts = services.flatMap((service) =>
    "worker" in service && service.worker !== undefined ? textsOf(service.worker) : [],
  )
  const isUsed = (name: string) => texts.some((text) => text.includes(`"${name}"`))
  return { modules: modules.filter(({ name = "" }) => name !== "miniflare:zod" || isUsed(name)) }
}

/**
 * Loaded with `require`, which uses the compile cache. `import` would parse all six megabytes of Miniflare on every
 * start to find its CommonJS exports.
 */
const miniflare: typeof Package = withOwnConfig(() => createRequire(import.meta.url)("miniflare"))
Object.assign(miniflare, { leanConfig })

/** Miniflare's own copy of workerd. */
const workerd = z
  .object({ compatibilityDate: z.iso.date() })
  .parse(createRequire(import.meta.resolve("miniflare"))("workerd"))

/** The newest compatibility date that this workerd supports. */
export const newestCompatibilityDate = workerd.compatibilityDate

export const { Log, LogLevel, Miniflare, PLUGINS, Response } = miniflare
