import { openWorkerd } from "../app/workerd.ts"
import { workerCode, schema } from "./bench-worker.ts"

const name = "bench"

/** The same script in the same workerd, called directly, with its database in the same process. */
export async function openWorkerdAlone() {
  const instance = await openWorkerd([
    {
      name,
      modules: { "worker.js": { type: "esm", contents: workerCode(name) } },
      env: { DB: { type: "d1", id: name } },
      database: { binding: "DB", schema },
    },
  ])
  const address = instance.addresses.get(name)
  if (address === undefined) throw new Error(`No Worker is called ${name}`)
  return { address, [Symbol.asyncDispose]: instance[Symbol.asyncDispose] }
}
