/**
 * Limits of Cloudflare's runtime that workerd leaves to the account it runs for. This module is evaluated
 * before a Worker's own.
 */

/** Cloudflare's own text (cloudflare/workerd#1346). */
const iterationLimit = 100_000

for (const name of /** @type {const} */ (["deriveBits", "deriveKey"])) {
  const derive = SubtleCrypto.prototype[name]
  /**
   * @this {import("node:crypto").webcrypto.SubtleCrypto}
   * @param {{ name?: string; iterations?: number }} algorithm
   * @param {unknown[]} rest
   */
  async function limited(algorithm, ...rest) {
    const { iterations = 0 } = algorithm
    if (String(algorithm.name).toUpperCase() === "PBKDF2" && iterations > iterationLimit) {
      const message = `Pbkdf2 failed: iteration counts above ${iterationLimit} are not supported (requested ${iterations}).`
      throw new DOMException(message, "NotSupportedError")
    }
    return Reflect.apply(derive, this, [algorithm, ...rest])
  }
  Object.defineProperty(SubtleCrypto.prototype, name, { value: limited })
}
