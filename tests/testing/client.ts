import type * as z from "zod"

type Sending = { headers?: Record<string, string>; body?: unknown }

declare module "vitest" {
  interface ProvidedContext {
    /** Origin of the environment to try, BASE_URL; empty where the test deploys its own. */
    baseUrl: string
  }
}

export type Client = ReturnType<typeof openClient>

/** Calls an environment as the page of one origin does in one browser: with its cookies, by fetch alone. */
export function openClient(url: string, origin: string | undefined = url) {
  const cookies = new Map<string, string>()

  async function send(method: string, path: string, { headers = {}, body }: Sending = {}) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const response = await fetch(new URL(path, url), {
      method,
      redirect: "manual",
      headers: {
        ...(origin === undefined ? {} : { origin }),
        ...(cookie === "" ? {} : { cookie }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      body: bodyOf(body),
    })
    for (const line of response.headers.getSetCookie()) keep(cookies, line)
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.startsWith("application/json")
    const json: unknown = isJson && text !== "" ? JSON.parse(text) : undefined
    return { status: response.status, headers: response.headers, json, text }
  }

  return {
    send,
    get: (path: string) => send("GET", path),
    post: (path: string, body: unknown = {}) => send("POST", path, { body }),
    /** A typed operation, which must succeed. */
    async call<Output>(output: z.ZodType<Output>, path: string, body?: unknown): Promise<Output> {
      const reply = await send(body === undefined ? "GET" : "POST", `/api/v1/${path}`, { body })
      if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${reply.text}`)
      return output.parse(reply.json)
    },
  }
}

function bodyOf(body: unknown): string | null {
  if (body === undefined) return null
  return typeof body === "string" ? body : JSON.stringify(body)
}

function keep(cookies: Map<string, string>, line: string): void {
  const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
  if (/;\s*max-age=0\b/i.test(line)) cookies.delete(name)
  else cookies.set(name, value)
}
