import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

import { createClient } from "../client.ts"

export type Answer = { status: number; body?: string; headers?: Record<string, string> } | "none"

/** A server with these answers in turn, the last one from then on; and a client of it. */
export async function openSite(...answers: Answer[]) {
  const asked: string[] = []
  const pauses: number[] = []
  const server = createServer((request, response) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)] ?? "none"
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    if (answer === "none") request.socket.destroy()
    else response.writeHead(answer.status, answer.headers).end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as a listening TCP server has it
  const { port } = server.address() as AddressInfo
  const stop = new AbortController()
  const client = createClient({
    baseUrl: `http://127.0.0.1:${port}/client/v4/`,
    token: "a-token",
    signal: stop.signal,
    pause: async (milliseconds) => void pauses.push(milliseconds),
  })
  return {
    client,
    asked,
    pauses,
    stop,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
