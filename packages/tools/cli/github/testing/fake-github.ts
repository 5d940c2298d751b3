import { serve } from "@accounts-stack/local/daemon/testing/serve"

export type Held = { secrets: string[]; variables: Record<string, string> }

/** GitHub's API as far as names of settings go: pages of at most 100 secrets, or 30 variables. */
export async function openFakeGitHub(options: {
  environments: Record<string, Held>
  repository?: Held
  /** What answers instead of a path that contains the text. */
  failing?: { path: string; status: number; body: string }
}) {
  const { environments, repository = { secrets: [], variables: {} }, failing } = options
  const asked = new Array<string>()
  const lists = new Map<string, { key: string; items: { name: string; value?: string }[] }>()
  const addLists = (at: string, { secrets, variables }: Held) => {
    lists.set(`${at}/secrets`, { key: "secrets", items: secrets.map((name) => ({ name })) })
    const items = Object.entries(variables).map(([name, value]) => ({ name, value }))
    lists.set(`${at}/variables`, { key: "variables", items })
  }
  addLists("/repos/acme/accounts/actions", repository)
  const all = Object.entries(environments)
  for (const [name, held] of all) addLists(`/repos/acme/accounts/environments/${name}`, held)
  lists.set("/repos/acme/accounts/environments", {
    key: "environments",
    items: all.map(([name]) => ({ name })),
  })
  const server = await serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://github")
    asked.push(`${request.method} ${request.url}`)
    const answer = (status: number, body: string) => response.writeHead(status).end(body)
    if (request.headers.authorization !== "Bearer right") {
      return answer(401, '{"message":"Bad credentials"}')
    }
    if (failing && pathname.includes(failing.path)) return answer(failing.status, failing.body)
    const list = lists.get(pathname)
    if (list === undefined) return answer(404, '{"message":"Not Found"}')
    const most = list.key === "variables" ? 30 : 100
    const size = Math.min(most, Number(searchParams.get("per_page") ?? 30))
    const from = size * (Number(searchParams.get("page") ?? 1) - 1)
    const items = list.items.slice(from, from + size)
    return answer(200, JSON.stringify({ total_count: list.items.length, [list.key]: items }))
  })
  return Object.assign(server, { asked })
}
