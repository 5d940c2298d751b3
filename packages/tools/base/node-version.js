// Plain JavaScript without imports: an old Node must be able to load this file.

/** The first releases with `deserialize` of node:sqlite, which the check of migrations needs. */
export const neededNode = "Node 24.16, or 26.1 or newer,"

export function isNodeTooOld() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  if (major === 24) return minor < 16
  return major < 26 || (major === 26 && minor < 1)
}
