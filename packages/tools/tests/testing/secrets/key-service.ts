import { once } from "node:events"

import { keyServiceApi } from "@accounts-stack/local/key-service"
import { createAdaptorServer } from "@hono/node-server"
import { Hono } from "hono"
import * as z from "zod"

const Address = z.object({ port: z.number() })

/** The key service of the local Cloudflare by itself, for stacks that are at Cloudflare. */
export async function openKeyService() {
  const requests: string[] = []
  const app = new Hono()
  app.use(async (c, next) => {
    requests.push(c.req.path)
    await next()
  })
  app.route("/", keyServiceApi())
  const server = createAdaptorServer({ fetch: app.fetch }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = Address.parse(server.address())
  return {
    asked: requests,
    /** Pulumi's URL of the key. */
    sealer: "hashivault://local",
    env: { VAULT_SERVER_URL: `http://127.0.0.1:${port}` },
    [Symbol.dispose]: () => void server.close(),
  }
}
