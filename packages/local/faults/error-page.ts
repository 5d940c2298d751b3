/** The HTML error page of Cloudflare's edge, which ignores the client's `Accept`. */
export function errorPage(status: number): string {
  const title = titles.get(status) ?? "An error occurred"
  return `<!DOCTYPE html>
<html lang="en-US">
<head><title>${status}: ${title}</title></head>
<body>
<div id="cf-wrapper"><div id="cf-error-details">
<h1>${title} <span>Error code ${status}</span></h1>
<p>Please try again in a few minutes. Cloudflare Ray ID: local</p>
</div></div>
</body>
</html>
`
}

const titles = new Map([
  [500, "Internal server error"],
  [502, "Bad gateway"],
  [503, "Service temporarily unavailable"],
  [504, "Gateway time-out"],
  [520, "Web server is returning an unknown error"],
  [521, "Web server is down"],
  [522, "Connection timed out"],
  [524, "A timeout occurred"],
  [525, "SSL handshake failed"],
])
