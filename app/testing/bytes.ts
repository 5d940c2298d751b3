import { readFileSync } from "node:fs"

import type { Plugin } from "vitest/config"

const suffix = ".bin"

/** Resolves `X.bin` imports, which a deployment uploads as separate modules, to the bytes of X. */
export function bytes(): Plugin {
  return {
    name: "bytes",
    enforce: "pre",
    async resolveId(source, importer) {
      if (!source.endsWith(suffix)) return null
      const file = await this.resolve(source.slice(0, -suffix.length), importer, { skipSelf: true })
      // The dependency optimizer appends ?v=<hash>.
      return file && `\0${file.id.replace(/\?.*$/, "")}${suffix}`
    },
    load(id) {
      if (!id.startsWith("\0") || !id.endsWith(suffix)) return null
      const content = readFileSync(id.slice(1, -suffix.length)).toString("base64")
      return `export default Uint8Array.from(atob("${content}"), (unit) => unit.charCodeAt(0)).buffer`
    },
  }
}
