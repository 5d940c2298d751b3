import { type IncomingMessage, type ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"

import { splitStatements } from "@accounts-stack/d1-migrations/files"
import { serve } from "@accounts-stack/local/daemon/testing/serve"

/**
 * A fault in one request. With `before`, the request never reaches Cloudflare; with `after`, it takes
 * effect and the answer is lost. A `page` is HTML with status 200, as a company's proxy answers, and
 * `page404` one with 404; `cut` is the first half of an answer, `torn` the same with its connection lost, `empty` a success with an
 * empty list for its result. `429` is over in a second, `limit` in an hour. `piecemeal` sends each
 * statement separately, which imitates a database that does not undo a failed request.
 */
export type Fault = `${Answer} ${"before" | "after"}` | "piecemeal"

type Answer =
  | "drop"
  | "hang"
  | "page"
  | "page404"
  | "cut"
  | "torn"
  | "empty"
  | "500"
  | "403"
  | "429"
  | "limit"
  | "10007"
  | "false"

type Rule = {
  method: string
  path: RegExp
  body?: RegExp
  /** Happens before the request goes on its way, as if by another client. */
  first?: () => Promise<void>
  fault?: Fault
  /** Changes the `result` of Cloudflare's answer, to one that the local Cloudflare has no cause to give. */
  change?: (result: object) => object
  times: number
}

type NewRule = Omit<Rule, "times"> & { times?: number }

export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>

/** An HTTP proxy in front of an API that injects faults. */
export async function startFaultProxy(upstream: string) {
  const rules: Rule[] = []
  /** Requests that are not answered yet, by path. */
  const open: string[] = []
  const requests: { method: string; path: string; body: string; fault: Fault | undefined }[] = []
  // Long, or a client that was busy might send on a connection that is being closed.
  const options = { keepAliveTimeout: 75_000 }
  const server = await serve((request, response) => {
    const { url = "" } = request
    open.push(url)
    void handle(request, response).finally(() => open.splice(open.indexOf(url), 1))
  }, options)

  async function handle(request: IncomingMessage, response: ServerResponse) {
    const { method = "GET", url: path = "/" } = request
    const body = await textOf(request)
    const rule = rules.find(
      (candidate) =>
        candidate.times > 0 &&
        candidate.method === method &&
        candidate.path.test(path) &&
        (candidate.body?.test(body) ?? true),
    )
    if (rule !== undefined) rule.times -= 1
    const fault = rule?.fault
    requests.push({ method, path, body, fault })
    await rule?.first?.()
    if (fault === undefined) return pass(request, body, response, rule?.change)
    if (fault === "piecemeal") return piecemeal(request, body, response)
    if (fault.endsWith("after")) await forward(request, body)
    return answerWith(fault, response)
  }

  async function pass(
    request: IncomingMessage,
    body: string,
    response: ServerResponse,
    change?: Rule["change"],
  ) {
    const answer = await forward(request, body)
    response.writeHead(answer.status, answer.headers).end(changed(answer.text, change))
  }

  async function piecemeal(request: IncomingMessage, body: string, response: ServerResponse) {
    const { sql }: { sql: string } = JSON.parse(body)
    let last = { status: 500, text: "" }
    for (const statement of splitStatements(sql)) {
      last = await forward(request, JSON.stringify({ sql: statement.sql }))
      if (last.status !== 200) break
    }
    response.writeHead(last.status).end(last.text)
  }

  async function forward({ method = "GET", url = "/", headers }: IncomingMessage, body: string) {
    const { authorization = "", "user-agent": client = "" } = headers
    const answer = await fetch(new URL(url, upstream), {
      method,
      headers: { authorization, "user-agent": client, "content-type": "application/json" },
      ...(method !== "GET" && { body }),
    })
    const retryAfter = answer.headers.get("retry-after")
    return {
      status: answer.status,
      text: await answer.text(),
      // Cloudflare's SDK reads nothing else as JSON.
      headers: {
        "content-type": "application/json",
        ...(retryAfter !== null && { "retry-after": retryAfter }),
      },
    }
  }

  return {
    url: `${server.url}${new URL(upstream).pathname}`,
    /** All requests, in order. */
    seen: requests,
    /** Resolves once what is on its way has reached Cloudflare, be it from a client that is dead. */
    async idle(path: RegExp) {
      while (open.some((url) => path.test(url))) await sleep(20)
    },
    inject(rule: NewRule) {
      rules.push({ times: 1, ...rule })
    },
    /** Rules that go when this is disposed of. */
    injectAll(added: NewRule[]): Disposable {
      const newRules = added.map((rule) => ({ times: 1, ...rule }))
      rules.push(...newRules)
      return {
        [Symbol.dispose]() {
          for (const rule of newRules) rules.splice(rules.indexOf(rule), 1)
        },
      }
    },
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
}

function changed(text: string, change: Rule["change"]): string {
  if (change === undefined) return text
  const answer: { result: object } = JSON.parse(text)
  return JSON.stringify({ ...answer, result: change(answer.result) })
}

function answerWith(fault: Fault, response: ServerResponse): void {
  if (fault.startsWith("hang")) return
  if (fault.startsWith("drop")) {
    response.destroy()
    return
  }
  if (fault.startsWith("page")) {
    const status = fault.startsWith("page404") ? 404 : 200
    response.writeHead(status, { "content-type": "text/html" }).end("<html>Log in first</html>")
    return
  }
  if (/^(?:cut|torn|empty)/.test(fault)) {
    const whole = JSON.stringify({ success: true, errors: [], messages: [], result: [] })
    const half = whole.slice(0, 30)
    response.writeHead(200, { "content-type": "application/json" })
    if (fault.startsWith("torn")) response.write(half, () => response.destroy())
    else response.end(fault.startsWith("cut") ? half : whole)
    return
  }
  if (fault.startsWith("500")) {
    response.writeHead(500).end("<html>Internal error</html>")
    return
  }
  if (fault.startsWith("403")) {
    return refuse(response, 403, [{ code: 10_000, message: "Authentication error" }])
  }
  if (fault.startsWith("429") || fault.startsWith("limit")) {
    response.setHeader("retry-after", fault.startsWith("429") ? 1 : 3600)
    const errors = [
      { code: 971, message: "Please wait and consider throttling your request speed" },
    ]
    return refuse(response, 429, errors)
  }
  if (fault.startsWith("10007")) {
    const errors = [{ code: 10_007, message: "This Worker does not exist on your account." }]
    return refuse(response, 404, errors)
  }
  const result = [{ success: false, error: "D1 storage operation exceeded timeout", results: [] }]
  response.writeHead(200, { "content-type": "application/json" })
  response.end(JSON.stringify({ success: true, errors: [], messages: [], result }))
}

function refuse(
  response: ServerResponse,
  status: number,
  errors: { code: number; message: string }[],
): void {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify({ success: false, errors, messages: [], result: null }))
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}
