import { registerHooks } from "node:module"

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
export function withOwnConfig<Loaded>(load: () => Loaded): Loaded {
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
    throw new Error(`Adapt config-buffer.ts: Miniflare has \`${part}\` ${times}.`)
  }, source)
}

function textOf(source: string | ArrayBuffer | NodeJS.TypedArray): string {
  return typeof source === "string" ? source : new TextDecoder().decode(source)
}
