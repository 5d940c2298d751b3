const hosts = new Set(["127.0.0.1", "localhost", "[::1]"])

/**
 * Why a request is rejected before its token is checked; `undefined` when it is not. A rebound DNS
 * name arrives with its own `Host`, a web page with its own `Origin`.
 */
export function rejectionOf({
  host = "",
  origin,
}: {
  host?: string | undefined
  origin?: string | undefined
}) {
  if (!hosts.has(host.replace(/:\d+$/, "").toLowerCase())) {
    return "Only loopback hosts are answered: use 127.0.0.1"
  }
  if (origin !== undefined && origin !== `http://${host}`) {
    return "Requests from other origins are rejected"
  }
  return undefined
}
