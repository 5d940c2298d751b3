import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { homedir } from "node:os"
import path from "node:path"

import { isValues, type Value, type Values } from "./value.ts"

/**
 * Where a `contentFile` lies: relative to this process's working directory, which the engine sets
 * to the directory of the Pulumi program (`main` in Pulumi.yaml).
 */
export function contentPath(file: string): string {
  if (file.startsWith("~/")) return path.join(homedir(), file.slice(2))
  return path.resolve(file)
}

/** Adds to each module of a version the hash of its content, so that an edited file is a change. */
export function hashModules(version: Values): Values {
  return mapModules(version, (module) => {
    const content = moduleContent(module)
    return content ? { ...module, contentSha256: sha256(content) } : module
  })
}

/** Puts the content of files in place of their names, as Cloudflare wants it. */
export function readModules(version: Values): Values {
  return mapModules(version, (module) => {
    const contentBase64 = moduleContent(module)?.toString("base64")
    return contentBase64 === undefined ? module : { ...module, contentBase64 }
  })
}

/**
 * Gives modules that Cloudflare returned their hashes, and those of `prior` that came from a file
 * its name instead of their content.
 */
export function adoptModules(version: Values, prior: Values): Values {
  const files = new Map<Value | undefined, Value>()
  if (Array.isArray(prior.modules)) {
    for (const module of prior.modules) {
      if (isValues(module) && module.contentFile) files.set(module.name, module.contentFile)
    }
  }
  return mapModules(hashModules(version), (module) => {
    const contentFile = files.get(module.name)
    return contentFile ? { ...module, contentBase64: undefined, contentFile } : module
  })
}

function mapModules(version: Values, change: (module: Values) => Values): Values {
  if (!Array.isArray(version.modules)) return version
  const modules = version.modules.map((module) => (isValues(module) ? change(module) : module))
  return { ...version, modules }
}

function moduleContent({ contentFile, contentBase64 }: Values): Buffer | undefined {
  if (typeof contentFile === "string") return readFileSync(contentPath(contentFile))
  if (typeof contentBase64 === "string") return Buffer.from(contentBase64, "base64")
  return undefined
}

function sha256(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex")
}
