import { get } from "node:http"
import type { IncomingHttpHeaders } from "node:http"
import { text } from "node:stream/consumers"

type Answer = { status: number; greeting: string; headers: IncomingHttpHeaders; text: string }

/** One request to the edge under any host name; fetch would not let the Host header be set. */
export function askEdge(edge: string, host: string, path: string) {
  return new Promise<Answer>((resolve, reject) => {
    const request = get(`${edge}${path}`, { headers: { host } }, (response) => {
      text(response).then(
        (body) =>
          resolve({
            status: response.statusCode ?? 0,
            greeting: String(response.headers["greeting"] ?? ""),
            headers: response.headers,
            text: body,
          }),
        reject,
      )
    })
    request.on("error", reject)
  })
}
