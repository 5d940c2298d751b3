import { createServer, request as forward } from "node:http"

/** A proxy to `api` that drops the response of the first POST. */
export async function startAnswerDroppingProxy(api: string) {
  const target = new URL(api)
  let dropped = false
  const server = createServer((request, response) => {
    const { method, url, headers } = request
    const { hostname: host, port } = target
    const onward = forward({ host, port, path: url, method, headers }, (answer) => {
      if (method !== "POST" || dropped) {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
        return
      }
      dropped = true
      // The request has been applied by the time the connection breaks.
      answer.resume().once("end", () => response.destroy())
    })
    request.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (typeof address !== "object" || !address) throw new Error("the proxy has no port")
  return {
    url: `http://127.0.0.1:${address.port}${target.pathname}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
