/** Answers with its edition under `/`, with one row under `/query`. */
export function codeOf(edition: string) {
  return `export default {
  async fetch(request, env) {
    if (new URL(request.url).pathname !== "/query") return new Response(${JSON.stringify(edition)})
    return Response.json(await env.DB.prepare("SELECT text FROM note WHERE id = ?").bind(7).first())
  },
}
`
}

/** Of the database that it is bound to as `DB`. */
export const schema = `CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
INSERT INTO note (id, text) VALUES (7, 'kept')`
