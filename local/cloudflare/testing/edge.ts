import { get } from "node:http"
import { text } from "node:stream/consumers"

/** One request to the edge under any host name; fetch would not let the Host header be set. */
export function askEdge(edge: string, host: string, path: string) {
  return new Promise<{ status: number; greeting: string; text: string }>((resolve, reject) => {
    const request = get(`${edge}${path}`, { headers: { host } }, (response) => {
      text(response).then(
        (body) =>
          resolve({
            status: response.statusCode ?? 0,
            greeting: String(response.headers["greeting"] ?? ""),
            text: body,
          }),
        reject,
      )
    })
    request.on("error", reject)
  })
}
