import { get, type IncomingHttpHeaders } from "node:http"
import { get as getSecure } from "node:https"
import { text } from "node:stream/consumers"

type Answer = { status: number; greeting: string; headers: IncomingHttpHeaders; text: string }

/**
 * Sends a GET to the edge with any Host header, which `fetch` can't set. With `ca` it uses HTTPS and
 * trusts only that certificate.
 */
export function askEdge(edge: string, host: string, path: string, ca?: Buffer) {
  return new Promise<Answer>((resolve, reject) => {
    const options = {
      headers: { host, "user-agent": "accounts-tests" },
      servername: host,
      ...(ca && { ca }),
    }
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
