/** Reads a session and its user by token: the cost of reading a session without any check. */
const query = `select session.*, user.* from session join user on user.id = session.user_id
  where session.token = ?`

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
