import { SourceMap, type SourceMapPayload } from "node:module"
import { posix } from "node:path"

import * as z from "zod"

import type { Module } from "./plane.ts"

/** Version 3 of the format, as bundlers write it. */
const Payload = z.looseObject({
  version: z.literal(3),
  sources: z.array(z.string()),
  mappings: z.string(),
})

/**
 * A position at the end of a line of a stack: `at add (worker.js:9:12)` or `at worker.js:9:12`; the line
 * may be a text in JSON, where a script logs the stack of an error that it has caught.
 */
const position = /(?<=\(|at )([^\s():]+):(\d+):(\d+)(?=\)?(?:$|["\\]))/gm

/**
 * Turns the positions of a stack into those of the sources, where the version has a source map for the
 * module: a module of the type `application/source-map` whose name is that of the code with `.map`, as
 * wrangler uploads it. Whatever has no map, or one that can't be read, stays as it is.
 */
export function createStackMapper(modules: Module[]): (text: string) => string {
  const uploaded = new Map(
    modules
      .filter(({ contentType }) => contentType.startsWith("application/source-map"))
      .map(({ name, content }) => [name.replace(/^\.\//, ""), content]),
  )
  // Parsed on the first error: a map is larger than its code.
  const parsed = new Map<string, SourceMap | undefined>()

  function mapOf(name: string): SourceMap | undefined {
    const file = `${name}.map`
    const content = uploaded.get(file)
    if (content === undefined) return undefined
    if (!parsed.has(file)) parsed.set(file, readSourceMap(content))
    return parsed.get(file)
  }

  return (text) =>
    text.replaceAll(position, (whole, name: string, line: string, column: string) => {
      const origin = mapOf(name)?.findOrigin(Number(line), Number(column))
      if (origin === undefined || !("fileName" in origin)) return whole
      const file = posix.join(posix.dirname(name), origin.fileName)
      return `${file}:${origin.lineNumber}:${origin.columnNumber}`
    })
}

function readSourceMap(content: Uint8Array): SourceMap | undefined {
  try {
    const payload = Payload.parse(JSON.parse(Buffer.from(content).toString("utf8")))
    return new SourceMap(complete(payload))
  } catch {
    return undefined
  }
}

/** Node's type wants keys that the format leaves out and Node does not read. */
function complete(payload: z.infer<typeof Payload>): SourceMapPayload {
  const { sources, mappings } = payload
  return { version: 3, sources, mappings, file: "", names: [], sourcesContent: [], sourceRoot: "" }
}
