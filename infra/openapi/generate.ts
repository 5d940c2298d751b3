import { writeFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { join } from "node:path"

// The described code never runs here, so the runtime's own module needs only its names.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "cloudflare:workers"
      ? { url: "data:text/javascript,export const waitUntil = undefined", shortCircuit: true }
      : next(specifier, context),
})
const { describeApi } = await import("./document.ts")

/* Indented for readers; the Worker serves this file. */
const document = await describeApi()
const file = join(import.meta.dirname, "../../app/service/openapi/openapi.json")
writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`)
