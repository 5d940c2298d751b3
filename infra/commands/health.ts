import { request } from "node:http"

import { Failure } from "./output.ts"

/** Milliseconds between two looks, and looks at most: a minute in all. */
const PAUSE = 200
const LOOKS = 300

/** Waits until the service answers its health check. `connectTo` stands for the URL's host. */
export async function health({
  url,
  connectTo,
}: {
  url: string
  connectTo: string
}): Promise<void> {
  let seen = "no answer"
  for (let look = 0; look < LOOKS; look += 1) {
    seen = await status(new URL("/api/health", url), new URL(connectTo)).catch(
      (error: Error) => error.message,
    )
    if (seen === "200") return
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }
  throw new Failure(`${url}/api/health did not come up: ${seen}`)
}

function status(url: URL, edge: URL): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  request(
    {
      host: edge.hostname,
      port: edge.port,
      path: url.pathname,
      headers: { host: url.host },
      timeout: 5_000,
    },
    (response) => {
      response.resume()
      resolve(String(response.statusCode))
    },
  )
    .on("timeout", function (this: { destroy(error: Error): void }) {
      this.destroy(new Error("no answer within 5 s"))
    })
    .on("error", reject)
    .end()
  return promise
}
