import { once } from "node:events"
import { createServer } from "node:http"
import { json } from "node:stream/consumers"

import * as z from "zod"

const Asked = z.object({ plaintext: z.string().optional(), ciphertext: z.string().optional() })
const Address = z.object({ port: z.number() })
const mark = "vault:v1:"

/**
 * What Pulumi asks of a HashiCorp Vault (developer.hashicorp.com/vault/api-docs/secret/transit). The
 * key of a stack is as good as open in what it answers, but no test reads it.
 */
export async function openKeyService() {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? "")
    void json(request).then((body) => {
      const { plaintext, ciphertext = "" } = Asked.parse(body)
      const data =
        plaintext === undefined
          ? { plaintext: ciphertext.replace(mark, "") }
          : { ciphertext: `${mark}${plaintext}` }
      response.setHeader("content-type", "application/json").end(JSON.stringify({ data }))
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = Address.parse(server.address())
  return {
    asked,
    /** Pulumi's URL of the key. */
    sealer: "hashivault://accounts",
    env: { VAULT_SERVER_URL: `http://127.0.0.1:${port}`, VAULT_SERVER_TOKEN: "the-token" },
    [Symbol.dispose]: () => void server.close(),
  }
}
