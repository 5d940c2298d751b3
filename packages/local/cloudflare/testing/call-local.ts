type Api = { api: string; token: string }

/** Calls a route of a local Cloudflare itself, such as `/local/settings`: PUT if there is a body. */
export async function callLocal(
  { api, token }: Api,
  path: string,
  body?: unknown,
  method = body === undefined ? "GET" : "PUT",
): Promise<unknown> {
  const response = await fetch(new URL(path, api), {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return JSON.parse(text)
}
