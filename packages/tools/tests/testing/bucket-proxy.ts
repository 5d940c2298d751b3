import { request as ask, type IncomingHttpHeaders, type ServerResponse } from "node:http"

import { serve } from "@accounts-stack/local/daemon/testing/serve"

/** `half`: of the upload; `cut` and `altered` are what comes back. `hang` answers nothing. */
type Fault = "none" | "half" | "answer lost" | "refused" | "altered" | "cut" | "hang"

type Sent = { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer }

/** A proxy in front of a bucket that injects one fault into the next request for a backup. */
export async function startBucketProxy(upstream: string) {
  let next: { method: string; fault: Fault } = { method: "", fault: "none" }
  const requests: string[] = []
  const faultOf = (method: string, path: string): Fault => {
    if (method !== next.method || !path.includes(".age")) return "none"
    const { fault } = next
    next = { method: "", fault: "none" }
    return fault
  }
  const served = await serve((request, response) => {
    const { method = "", url: path = "", headers } = request
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      requests.push(`${method} ${path}`)
      const fault = faultOf(method, path)
      pass(upstream, { method, path, headers, body: Buffer.concat(chunks) }, { fault, response })
    })
  })
  return {
    url: served.url,
    seen: requests,
    inject(method: string, fault: Fault) {
      next = { method, fault }
    },
    [Symbol.asyncDispose]: served[Symbol.asyncDispose],
  }
}

type Answering = { fault: Fault; response: ServerResponse }

function pass(upstream: string, request: Sent, { fault, response }: Answering): void {
  const { method, path, headers, body } = request
  if (fault === "hang") return
  if (fault === "refused") {
    response.writeHead(403).end("<Error><Code>RequestTimeTooSkewed</Code></Error>")
    return
  }
  const onward = ask(`${upstream}${path}`, { method, headers }, (answer) => {
    const parts: Buffer[] = []
    answer.on("data", (chunk: Buffer) => parts.push(chunk))
    answer.on("end", () => {
      if (fault === "answer lost") {
        response.destroy()
        return
      }
      const whole = Buffer.concat(parts)
      const last = whole.length - 20
      if (fault === "altered") whole.writeUInt8(whole.readUInt8(last) ^ 1, last)
      const { "content-length": _length, ...rest } = answer.headers
      response.writeHead(answer.statusCode ?? 500, rest)
      response.end(fault === "cut" ? whole.subarray(0, -30) : whole)
    })
  })
  onward.on("error", () => response.destroy())
  if (fault !== "half") {
    onward.end(body)
    return
  }
  onward.write(body.subarray(0, body.length / 2), () => {
    onward.destroy()
    response.destroy()
  })
}
