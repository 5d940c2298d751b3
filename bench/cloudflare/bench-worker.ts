import { esm, openWorkerd } from "../workerd.ts"

/** A Worker that answers `/` with its edition and `/query` with one row. */
export function workerCode(edition: string) {
  return `export default {
  async fetch(request, env) {
    if (new URL(request.url).pathname !== "/query") return new Response(${JSON.stringify(edition)})
    return Response.json(await env.DB.prepare("SELECT text FROM note WHERE id = ?").bind(7).first())
  },
}
`
}

/** Of its database, the binding `DB`. */
export const schema = `CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
INSERT INTO note (id, text) VALUES (7, 'kept')`

/** The same script in the same workerd, called directly, with its database in the same process. */
export async function openWorkerdAlone() {
  const name = "bench"
  const instance = await openWorkerd([
    {
      name,
      modules: { "worker.js": esm(workerCode(name)) },
      env: { DB: { type: "d1", id: name } },
      database: { binding: "DB", schema },
    },
  ])
  return {
    address: instance.addressOf(name),
    [Symbol.asyncDispose]: instance[Symbol.asyncDispose],
  }
}
