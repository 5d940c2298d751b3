import { registerHooks } from "node:module"

const file = "/miniflare/dist/src/index.js"
const small = "var MIN_SINGLE_SEGMENT_GROWTH = 4096;"
const large = "var MIN_SINGLE_SEGMENT_GROWTH = 8388608;"

/**
 * Miniflare writes a Worker's configuration, its modules included, into one buffer, which its
 * capnp-es (lib/serialization/arena/single-segment-arena) makes longer by 4 KiB and copies each time:
 * 220 MB for a Worker of three, a fifth of what a start takes. Here `load` gets one with long steps.
 */
export function withLongSteps<Loaded>(load: () => Loaded): Loaded {
  const hooks = registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      if (!url.endsWith(file) || !loaded.source) return loaded
      return { ...loaded, source: textOf(loaded.source).replace(small, large) }
    },
  })
  try {
    return load()
  } finally {
    hooks.deregister()
  }
}

function textOf(source: string | ArrayBuffer | NodeJS.TypedArray): string {
  return typeof source === "string" ? source : new TextDecoder().decode(source)
}
