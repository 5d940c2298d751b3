import type * as z from "zod"

import { createCookieJar } from "../../../../app/testing/cookie-jar.ts"

type RequestOptions = { headers?: Record<string, string>; body?: unknown }

declare module "vitest" {
  interface ProvidedContext {
    /** Origin of the environment under test, from BASE_URL. Empty: the test deploys its own. */
    baseUrl: string
  }
}

export type CookieClient = ReturnType<typeof openCookieClient>

/** A client that sends the `Origin` of one page and keeps cookies between requests, as a browser does. */
export function openCookieClient(url: string, origin: string | undefined = url) {
  const jar = createCookieJar()

  async function send(method: string, path: string, { headers = {}, body }: RequestOptions = {}) {
    const response = await fetch(new URL(path, url), {
      method,
      redirect: "manual",
      headers: {
        ...(origin === undefined ? {} : { origin }),
        ...jar.header(),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      body: bodyOf(body),
    })
    jar.keep(response.headers.getSetCookie())
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.startsWith("application/json")
    const json: unknown = isJson && text !== "" ? JSON.parse(text) : undefined
    return { status: response.status, headers: response.headers, json, text }
  }

  return {
    send,
    get: (path: string) => send("GET", path),
    post: (path: string, body: unknown = {}) => send("POST", path, { body }),
    /** Calls an operation and parses its output; throws unless the status is 200. */
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
