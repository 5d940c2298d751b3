import type { Plugin } from "vitest/config"

/**
 * Makes tests hash passwords at a fraction of the cost: at the full one they spent a third of their
 * processor time in scrypt. Algorithm and format stay; `password.workers.test.ts` takes the full cost.
 */
export function lightPasswords(): Plugin {
  return {
    name: "light passwords",
    enforce: "pre",
    transform(code, id) {
      if (!id.endsWith("/app/service/sign-in/password/password.ts")) return null
      const light = code.replace(
        'import { randomBytes, scrypt } from "node:crypto"',
        'import { randomBytes } from "node:crypto"; import { scrypt } from "../../../testing/light-scrypt.ts"',
      )
      if (light === code) throw new Error("password.ts imports scrypt in another way")
      return light
    },
  }
}
