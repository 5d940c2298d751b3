import { createHash } from "node:crypto"

type Output = { name: string; text: string }

/**
 * esbuild's names of chunks end with eight characters that also follow from paths and line numbers, which are
 * no part of what a build is. Each becomes as many of what the chunk says, so that places in source maps stay.
 * @param outputs code by esbuild's names; those in `kept` keep them
 */
export function nameChunks(outputs: Output[], kept: Set<string>): Map<string, Output> {
  const chunks = outputs.filter(({ name }) => !kept.has(name))
  const withNames = (text: string, nameOf: (name: string) => string) =>
    chunks.reduce(
      (all, { name }) => all.replaceAll(`"./${name}"`, () => `"./${nameOf(name)}"`),
      text,
    )
  const names = new Map(
    chunks.map(({ name, text }) => {
      const content = withNames(text, stemOf)
      const hash = createHash("sha256").update(content).digest("hex").slice(0, 8)
      return [name, `${stemOf(name)}-${hash}.js`]
    }),
  )
  if (new Set(names.values()).size < names.size) {
    throw new Error(`Two chunks of the Worker are the same: ${[...names.values()].join(", ")}`)
  }
  const nameOf = (name: string) => names.get(name) ?? name
  return new Map(
    outputs.map(({ name, text }) => [name, { name: nameOf(name), text: withNames(text, nameOf) }]),
  )
}

function stemOf(name: string) {
  return name.slice(0, -"-XXXXXXXX.js".length)
}
