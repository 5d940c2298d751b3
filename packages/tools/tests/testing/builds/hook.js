// Loaded into the deploying test processes and all that they start: plain JavaScript, which costs others little.
import module from "node:module"
import { basename, join } from "node:path"

/** The module whose one function builds `app/`, in this checkout and its copies. */
const suffix = "/build/build.ts"
/** A former commit's module may have another shape. */
const formerMark = "/accounts-former-"

/** Builds are kept in the directory that a test run deletes at its end; child processes get the hook as well. */
const run = process.env["NODE_COMPILE_CACHE"] ?? ""
if (basename(run).startsWith("accounts-compiled-") && !process.env["KEPT_BUILDS"]) {
  process.env["KEPT_BUILDS"] = join(run, "builds")
  const nodeOptions = process.env["NODE_OPTIONS"] ?? ""
  process.env["NODE_OPTIONS"] = `${nodeOptions} --import=${import.meta.url}`.trim()
}
const folder = process.env["KEPT_BUILDS"]

if (folder) {
  module.registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context)
      if (!specifier.endsWith(suffix) || resolved.url.includes(formerMark)) return resolved
      if (context.parentURL?.startsWith("data:")) return resolved
      return { url: inItsPlace(resolved.url, folder), format: "module", shortCircuit: true }
    },
  })
}

/**
 * @param {string} url of the module
 * @param {string} buildFolder for builds
 */
function inItsPlace(url, buildFolder) {
  const root = new URL("../../base/root.ts", url).href
  const keep = new URL("keep-build.ts", import.meta.url).href
  const code = [
    `import { build as buildModule } from ${JSON.stringify(url)}`,
    `import { root } from ${JSON.stringify(root)}`,
    `import { keepBuild } from ${JSON.stringify(keep)}`,
    `export const build = keepBuild(buildModule, { root, folder: ${JSON.stringify(buildFolder)} })`,
  ]
  return `data:text/javascript,${encodeURIComponent(code.join("\n"))}`
}
