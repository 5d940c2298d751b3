import type { ParsedWorkerOptions, Plugin } from "miniflare"
import * as z from "zod"

/** A binding that runs nowhere here; `reason` is the error that its use throws. */
const Unavailable = z.strictObject({
  type: z.literal("unsafe:unavailable"),
  dev: z.strictObject({
    plugin: z.strictObject({ package: z.string(), name: z.literal("unavailable") }),
    options: z.strictObject({ reason: z.string() }),
  }),
})

const moduleName = "local-cloudflare:unavailable"

/** The words that JavaScript itself asks every object for stay unanswered, so that `env` can be printed. */
const esModule = `export default ({ reason }) => {
  const fail = () => { throw new Error(reason) }
  const get = (_, key) => typeof key === "symbol" || key === "then" || key === "toJSON" ? undefined : fail()
  return new Proxy(function () {}, { get, set: fail, apply: fail, construct: fail })
}`

export function unavailable(reason: string): z.infer<typeof Unavailable> {
  const plugin = {
    package: `${import.meta.dirname}/miniflare-plugin.ts`,
    name: "unavailable",
  } as const
  return { type: "unsafe:unavailable", dev: { plugin, options: { reason } } }
}

/** Miniflare loads it by the path above. */
export const unavailablePlugin: Plugin = {
  async getBindings(options) {
    return declaredIn(options).map(({ name, reason }) => ({
      name,
      wrapped: { moduleName, innerBindings: [{ name: "reason", text: reason }] },
    }))
  },
  getNodeBindings: () => ({}),
  getServices: async () => [],
  async getExtensions({ options }) {
    const isUsed = options.some((worker) => declaredIn(worker).length > 0)
    return isUsed ? [{ modules: [{ name: moduleName, internal: true, esModule }] }] : []
  },
}

function declaredIn({ config }: ParsedWorkerOptions): { name: string; reason: string }[] {
  return Object.entries(config.env ?? {}).flatMap(([name, binding]) => {
    const { data } = Unavailable.safeParse(binding)
    return data === undefined ? [] : [{ name, reason: data.dev.options.reason }]
  })
}
