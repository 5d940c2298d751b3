// Plain JavaScript without imports: an old Node must be able to load this file.

/** The first releases with `setGlobalProxyFromEnv` of node:http; SQLite's authorizer is older. */
export const neededNode = "Node 24.14, or 25.4 or newer,"

export function isNodeTooOld() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  if (major === 24) return minor < 14
  return major < 25 || (major === 25 && minor < 4)
}
