import { get } from "node:http"
import type { IncomingHttpHeaders } from "node:http"
import { get as getSecure } from "node:https"
import { text } from "node:stream/consumers"

type Answer = { status: number; greeting: string; headers: IncomingHttpHeaders; text: string }

/**
 * One request to the edge under any host name; fetch would not let the Host header be set. Over
 * HTTPS with the certificate `ca` as the only one to trust.
 */
export function askEdge(edge: string, host: string, path: string, ca?: Buffer) {
  return new Promise<Answer>((resolve, reject) => {
    const options = { headers: { host }, servername: host, ...(ca && { ca }) }
    const request = (ca ? getSecure : get)(`${edge}${path}`, options, (response) => {
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
