import { serve } from "@accounts-stack/local/daemon/testing/serve"
import { getRequestListener } from "@hono/node-server"

import { createMailbox } from "../../../../app/testing/mailbox.ts"
import { createPaymentProvider } from "../../../../app/testing/payment-provider.ts"
import type { Overrides } from "../../cli/stack/project.ts"

/** A mail and a payment sandbox in this process, and the stack configuration that points to them. */
export async function openSandboxes() {
  const payments = createPaymentProvider()
  const mailbox = createMailbox()
  const answer = (request: Request) =>
    new URL(request.url).pathname === "/mail" ? mailbox.remote(request) : payments.remote(request)
  const listener = getRequestListener(answer)
  const server = await serve((request, response) => void listener(request, response))
  const { url } = server
  const { PAYMENT_SECRET, PAYMENT_WEBHOOK_SECRET } = payments.bindings
  const overrides: Overrides = {
    "accounts:mailUrl": `${url}/mail`,
    "accounts:paymentUrl": url,
    "accounts:secrets": JSON.stringify({ PAYMENT_SECRET, PAYMENT_WEBHOOK_SECRET }),
  }
  return { payments, mailbox, overrides, [Symbol.asyncDispose]: server[Symbol.asyncDispose] }
}
