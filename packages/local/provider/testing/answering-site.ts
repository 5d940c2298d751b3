import { serve } from "../../daemon/testing/serve.ts"

type Taken = { method: string; body: unknown }

/** An API that answers every request alike, as it is told. */
export async function openAnsweringSite() {
  let next = { status: 200, result: null as unknown }
  const requests: Taken[] = []
  const server = await serve((request, response) => {
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
  return {
    url: `${server.url}/client/v4`,
    answer(status: number, result: unknown) {
      next = { status, result }
    },
    /** The requests since the last call. */
    taken: () => requests.splice(0),
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
}
