import { createServer } from "node:http"

import { getRequestListener } from "@hono/node-server"
import * as z from "zod"

import { createPaymentProvider } from "../../app/testing/payment-provider.ts"
import type { Overrides } from "../../cli/stack/project.ts"

const Email = z.object({ to: z.string(), subject: z.string(), text: z.string() })

/** A mail and a payment sandbox in this process, and the stack configuration that points to them. */
export async function openSandboxes() {
  const payments = createPaymentProvider()
  const emails: z.infer<typeof Email>[] = []
  const answer = async (request: Request) => {
    if (new URL(request.url).pathname !== "/mail") return payments.remote(request)
    emails.push(Email.parse(await request.json()))
    return new Response(null, { status: 202 })
  }
  const listener = getRequestListener(answer)
  const server = createServer((request, response) => void listener(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`
  const { PAYMENT_SECRET, PAYMENT_WEBHOOK_SECRET } = payments.bindings
  const overrides: Overrides = {
    "accounts:mailUrl": `${url}/mail`,
    "accounts:paymentUrl": url,
    "accounts:secrets": JSON.stringify({ PAYMENT_SECRET, PAYMENT_WEBHOOK_SECRET }),
  }
  return {
    payments,
    emails,
    overrides,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
