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
