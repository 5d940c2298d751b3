import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { homedir } from "node:os"
import path from "node:path"

import { isValues, type Value, type Values } from "./property-value.ts"

/**
 * The absolute path of a `contentFile`. It is relative to the working directory, which the engine
 * sets to the directory of the Pulumi program (`main` in Pulumi.yaml).
 */
export function contentPath(file: string): string {
  if (file.startsWith("~/")) return path.join(homedir(), file.slice(2))
  return path.resolve(file)
}

/** Adds the hash of its content to each module, so that an edited file counts as a change. */
export function hashModules(version: Values): Values {
  return mapModules(version, (module) => {
    const content = moduleContent(module)
    return content ? { ...module, contentSha256: sha256(content) } : module
  })
}

/** Replaces file names by the content that Cloudflare expects. */
export function readModules(version: Values): Values {
  return mapModules(version, (module) => {
    const contentBase64 = moduleContent(module)?.toString("base64")
    return contentBase64 === undefined ? module : { ...module, contentBase64 }
  })
}

/**
 * Hashes the modules that Cloudflare returned. Those that `prior` took from a file get the file name
 * back instead of their content.
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
