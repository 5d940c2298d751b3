import { openInstance } from "../app/instance.ts"
import { codeOf, schema } from "./script.ts"

const name = "bench"

/** The same script in the same workerd, asked directly, with its database in the same process. */
export async function openAlone() {
  const instance = await openInstance([
    {
      name,
      modules: { "worker.js": { type: "esm", contents: codeOf(name) } },
      env: { DB: { type: "d1", id: name } },
      database: { binding: "DB", schema },
    },
  ])
  const address = instance.addresses.get(name)
  if (address === undefined) throw new Error(`No Worker is called ${name}`)
  return { address, [Symbol.asyncDispose]: instance[Symbol.asyncDispose] }
}
