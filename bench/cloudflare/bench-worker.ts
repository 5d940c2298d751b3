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
