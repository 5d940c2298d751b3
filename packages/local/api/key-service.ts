import { Hono } from "hono"
import * as z from "zod"

import { body } from "./envelope.ts"

const Encrypt = z.strictObject({ plaintext: z.base64() })
const Decrypt = z.strictObject({ ciphertext: z.templateLiteral(["vault:v1:", z.base64()]) })

/**
 * `/local/key-service`: the key `hashivault://local` of the stacks on this machine, as Pulumi asks for it
 * (developer.hashicorp.com/vault/api-docs/secret/transit). Deriving a key from a passphrase would take
 * longer than the rest of the engine's start. Nothing is hidden: every reader of a ciphertext has its
 * plaintext, as with a passphrase that is in the repository. So it asks for no token.
 */
export function keyServiceApi() {
  const app = new Hono()

  app.put("/v1/transit/encrypt/local", async (c) => {
    const { plaintext } = await body(c, Encrypt)
    return c.json({ data: { ciphertext: `vault:v1:${plaintext}` } })
  })

  app.put("/v1/transit/decrypt/local", async (c) => {
    const { ciphertext } = await body(c, Decrypt)
    return c.json({ data: { plaintext: ciphertext.replace("vault:v1:", "") } })
  })

  return app
}
