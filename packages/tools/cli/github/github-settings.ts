import { execFileSync } from "node:child_process"

import * as z from "zod"

import { Failure, messageOf } from "../../base/failure.ts"
import { userAgent } from "../../base/user-agent.ts"

const Item = z.object({ name: z.string(), value: z.string().default("") })
const Page = z.object({
  total_count: z.number(),
  secrets: z.array(Item).optional(),
  variables: z.array(Item).optional(),
  environments: z.array(Item).optional(),
})
const ErrorBody = z.object({ message: z.string() })

/** Names and, of variables, values. A secret's value is not told by GitHub. */
type Items = Map<string, string>

/** The token of whoever runs this, as `gh` takes it; undefined where there is none. */
export function githubToken(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const given = env["GH_TOKEN"] || env["GITHUB_TOKEN"]
  // `fetch` would repeat it in its message.
  if (given && !/^[\x21-\x7e]+$/.test(given.trim())) {
    const message =
      "The token for GitHub has a blank, a line break or a letter in it that no token has: set it again."
    throw new Failure("COMMAND_FAILED", message)
  }
  if (given) return given.trim()
  try {
    return execFileSync("gh", ["auth", "token"], { env, encoding: "utf8", stdio: "pipe" }).trim()
  } catch {
    return undefined
  }
}

/** Reads what a repository of GitHub has. Every method throws a Failure that says which right is missing. */
export function openGitHub(repository: string, token: string, env = process.env) {
  const api = env["GITHUB_API_URL"] || "https://api.github.com"

  async function get(path: string): Promise<z.infer<typeof Page>> {
    const url = `${api}/repos/${repository}${path}`
    const headers = {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${token}`,
      "user-agent": userAgent,
      "x-github-api-version": "2022-11-28",
    }
    const options = { headers, signal: AbortSignal.timeout(30_000) }
    const response = await fetch(url, options).catch((cause: unknown) => {
      throw new Failure("COMMAND_FAILED", `GitHub does not answer at ${url}: ${messageOf(cause)}`, {
        cause,
      })
    })
    const body: unknown = await response.json().catch(() => ({}))
    const page = Page.safeParse(body)
    if (response.ok && page.success) return page.data
    if (response.status === 404 && path.includes("/organization-")) return { total_count: 0 }
    const { data } = ErrorBody.safeParse(body)
    const said = `GitHub answered ${response.status}${data ? `, "${data.message}",` : ""} to ${url}`
    throw new Failure("COMMAND_FAILED", `${said}: ${adviceFor(response.status)}`)
  }

  /** All pages: secrets come by up to 100, variables by up to 30. */
  async function list(path: string, key: "environments" | "secrets" | "variables"): Promise<Items> {
    const items: Items = new Map()
    const size = key === "variables" ? 30 : 100
    for (let page = 1; ; page++) {
      const { total_count: count, [key]: found = [] } = await get(
        `${path}?per_page=${size}&page=${page}`,
      )
      for (const { name, value } of found) items.set(name, value)
      if (found.length === 0 || items.size >= count) return items
    }
  }

  const both = async (secrets: string, variables: string) => ({
    secret: await list(secrets, "secrets"),
    variable: await list(variables, "variables"),
  })

  return {
    environments: async () => [...(await list("/environments", "environments")).keys()],
    ofEnvironment: (name: string) => {
      const path = `/environments/${encodeURIComponent(name)}`
      return both(`${path}/secrets`, `${path}/variables`)
    },
    ofRepository: () => both("/actions/secrets", "/actions/variables"),
    /** Those that the repository may use; none for a user's repository. */
    ofOrganization: () => both("/actions/organization-secrets", "/actions/organization-variables"),
  }
}

function adviceFor(status: number): string {
  if (status < 300) return "that is no list of GitHub's API."
  if (status === 401) return "the token is wrong or has ended."
  if (status >= 500 || status === 429) return "ask again later."
  return "the repository is another, or the token may not read its Environments, Secrets and Variables."
}
