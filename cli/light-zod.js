// Registered before zod is loaded, which a command does when it needs it.
import { registerHooks } from "node:module"

/**
 * Loads zod without its messages in fifty languages: a module each, and together half of what zod takes.
 * English, which it uses unless told otherwise, does not come from there.
 */
registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier !== "../locales/index.js" || !context.parentURL?.includes("/zod/v4/")) {
      return nextResolve(specifier, context)
    }
    return { url: "data:text/javascript,", format: "module", shortCircuit: true }
  },
})
