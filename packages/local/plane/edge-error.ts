import { randomBytes } from "node:crypto"
import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from "node:http"

/** An answer of the edge in place of a Worker. */
export type EdgeAnswer = { status: number; headers: OutgoingHttpHeaders; text: string }

export const html = { "content-type": "text/html; charset=UTF-8" }
const plain = { "content-type": "text/plain; charset=UTF-8" }

/** A page for those who accept HTML; programs get the number alone, as Python's urllib reports it. */
export function errorAnswer(
  { accept = "" }: IncomingHttpHeaders,
  { status, number, title, text }: { status: number; number: number; title: string; text: string },
): EdgeAnswer {
  if (!accept.includes("text/html")) {
    return { status, headers: plain, text: `error code: ${number}` }
  }
  return {
    status,
    headers: html,
    text: `<!DOCTYPE html>
<html lang="en-US">
<head><title>${title}</title></head>
<body><h1>Error ${number}</h1><p>${text}</p></body>
</html>
`,
  }
}

export function sendEdgeAnswer(
  response: ServerResponse,
  { status, headers, text }: EdgeAnswer,
): void {
  if (response.headersSent) return void response.destroy()
  const ray = `${randomBytes(8).toString("hex")}-${cf.colo}`
  response
    .writeHead(status, {
      server: "cloudflare",
      "cf-ray": ray,
      "cache-control": "private, max-age=0, no-store, no-cache, must-revalidate",
      ...headers,
    })
    .end(text)
}

/** The header from which Miniflare reads `request.cf`, as JSON. */
export const cfHeader = "mf-cf-blob"

/** `request.cf`; fixed, because Miniflare would otherwise fetch one from Cloudflare. */
export const cf = {
  asn: 13_335,
  asOrganization: "Local",
  clientAcceptEncoding: "",
  colo: "LOC",
  country: "XX",
  httpProtocol: "HTTP/1.1",
  timezone: "UTC",
  tlsCipher: "",
  tlsVersion: "",
}
