/** Reads a page of a member's entries by a session's token: the cost of listing without any check. */
const query = `select journal_entry.* from session join journal_entry on journal_entry.user_id = session.user_id
  where session.token = ? order by journal_entry.created_at desc, journal_entry.id desc limit 21`

export default {
  /**
   * @param {Request} request
   * @param {{ DB: { prepare(sql: string): { bind(token: string | null): { all(): Promise<{ results: unknown[] }> } } } }} env
   */
  async fetch(request, env) {
    const { results } = await env.DB.prepare(query).bind(request.headers.get("cookie")).all()
    return Response.json(results)
  },
}
