/** The header in which Miniflare takes `request.cf`, as JSON. */
export const cfHeader = "mf-cf-blob"

/** `request.cf`; fixed, since Miniflare would otherwise ask a server of Cloudflare's for one. */
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
