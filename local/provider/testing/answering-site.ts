import { once } from "node:events"
import { createServer } from "node:http"

type Taken = { method: string; body: unknown }

/** An API that answers every request alike, as it is told. */
export async function openAnsweringSite() {
  let next = { status: 200, result: null as unknown }
  const requests: Taken[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.once("end", () => {
      const text = Buffer.concat(chunks).toString()
      requests.push({ method: request.method ?? "", body: text && JSON.parse(text) })
      const success = next.status < 400
      const errors = success ? [] : [{ code: 1, message: "refused" }]
      response.writeHead(next.status, { "content-type": "application/json" })
      response.end(JSON.stringify({ success, errors, messages: [], result: next.result }))
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (typeof address !== "object" || !address) throw new Error("the site has no port")
  return {
    url: `http://127.0.0.1:${address.port}/client/v4`,
    answer(status: number, result: unknown) {
      next = { status, result }
    },
    /** The requests since the last call. */
    taken: () => requests.splice(0),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}
