import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { request } from "node:http"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"

import * as z from "zod"

const Line = z.discriminatedUnion("event", [
  z.object({ event: z.literal("ready"), pid: z.number(), url: z.url() }),
  z.object({ event: z.literal("error"), code: z.string(), message: z.string() }),
])

type Question = { method?: string; headers?: Record<string, string>; body?: unknown }

/** An end as a process of its own, over a state directory. */
export async function startEnd(name: "mail" | "payment", state: string, ...flags: string[]) {
  const main = join(import.meta.dirname, "..", name, "main.js")
  const child = spawn(process.execPath, [main, "--state", state, "--exit-with-parent", ...flags])
  let stderr = ""
  child.stderr.on("data", (chunk) => (stderr += String(chunk)))
  // The end of the process may be known before what it printed last has come.
  const ended = once(child, "close").then(() => child.exitCode)
  const [first] = await once(createInterface(child.stdout), "line")
  const line = Line.parse(JSON.parse(String(first)))
  const url = line.event === "ready" ? line.url : ""
  const token = () => readFile(join(state, name, "token"), "utf8")

  return {
    line,
    url,
    stderr: () => stderr,
    token,
    ended,
    /** As the project's own tools ask. */
    async tool(path: string, question: Question = {}) {
      return ask(url + path, { ...question, headers: { authorization: `Bearer ${await token()}` } })
    },
    async stop(signal: NodeJS.Signals = "SIGTERM") {
      child.kill(signal)
      return await ended
    },
    closeStdin: () => void child.stdin.end(),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM")
      await ended
    },
  }
}

/** One request, for which any header can be set, `Host` and `Origin` included. */
export async function ask(url: string, { method, headers = {}, body }: Question = {}) {
  const form = body instanceof URLSearchParams
  const payload = body === undefined ? undefined : form ? body.toString() : JSON.stringify(body)
  const type = form ? "application/x-www-form-urlencoded" : "application/json"
  const sent = request(url, {
    method: method ?? (payload === undefined ? "GET" : "POST"),
    headers: { ...(payload === undefined ? {} : { "content-type": type }), ...headers },
  }).end(payload)
  const answered = Promise.withResolvers<{
    status: number
    headers: Record<string, string | string[] | undefined>
    text: string
    json: unknown
  }>()
  sent.on("error", answered.reject)
  sent.on("response", (response) => {
    text(response).then((content) => {
      answered.resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: content,
        json: content.startsWith("{") ? JSON.parse(content) : undefined,
      })
    }, answered.reject)
  })
  return await answered.promise
}
