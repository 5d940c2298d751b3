// Preloaded into drizzle-kit, which has Cloudflare's address in its code and fetches through node:https.
const http = require("node:http")
const https = require("node:https")

const api = process.env["LOCAL_CLOUDFLARE_API"]

/**
 * @param {string} url
 * @param {http.RequestOptions} options
 */
function request(url, options) {
  const path = url.replace(/^https:\/\/api\.cloudflare\.com\/client\/v4\//, "/")
  if (path === url) throw new Error(`drizzle-kit may reach the local Cloudflare alone, not ${url}`)
  return http.request(`${api}${path}`, options)
}

Object.assign(https, { request })
