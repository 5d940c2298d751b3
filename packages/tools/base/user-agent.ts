import project from "../package.json" with { type: "json" }

/**
 * Sent with every request to the service and to Cloudflare's API: a zone's Browser Integrity Check,
 * on by default, refuses a request that names no client.
 */
export const userAgent = `accounts-release/${project.version}`
