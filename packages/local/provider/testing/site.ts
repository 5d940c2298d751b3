import { serve } from "../../daemon/testing/serve.ts"
import { createClient } from "../client.ts"

export type Answer = { status: number; body?: string; headers?: Record<string, string> } | "none"

/** A server with these answers in turn, the last one from then on; and a client of it. */
export async function openSite(...answers: Answer[]) {
  const requests: string[] = []
  const pauses: number[] = []
  const server = await serve((request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)] ?? "none"
    requests.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    if (answer === "none") request.socket.destroy()
    else response.writeHead(answer.status, answer.headers).end(answer.body)
  })
  const stop = new AbortController()
  const client = createClient({
    baseUrl: `${server.url}/client/v4/`,
    token: "a-token",
    signal: stop.signal,
    pause: async (milliseconds) => void pauses.push(milliseconds),
  })
  return {
    client,
    asked: requests,
    pauses,
    stop,
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
}
