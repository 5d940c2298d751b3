import { createHmac } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"

import { expect } from "vitest"
import * as z from "zod"

import { temporaryDirectory } from "../../../daemon/testing/temporary-directory.ts"
import { type RunningSandbox, startSandboxHere } from "../../testing/sandbox-here.ts"
import { ask, startSandbox } from "../../testing/sandbox-process.ts"
import { payment as sandbox } from "../payment.ts"

const keys = { secret: "api-key", webhookSecret: "webhook-key" }
export const authorization = "Bearer api-key"
export const order = {
  mode: "payment",
  client_reference_id: "payment_1",
  "line_items[0][quantity]": "1",
  "line_items[0][price_data][currency]": "eur",
  "line_items[0][price_data][unit_amount]": "499",
  "line_items[0][price_data][product_data][name]": "Deep <insights>",
  success_url: "http://localhost:5173/payments/1",
  cancel_url: "http://localhost:5173/payments/1?cancelled",
}

export const Session = z.looseObject({ id: z.string(), url: z.string().nullable() })
const Event = z.object({
  id: z.string(),
  type: z.string(),
  data: z.object({ object: z.looseObject({ id: z.string() }) }),
})

/** A service that checks the signature of every webhook and rejects the next `state.reject` ones. */
async function openService() {
  const events: z.infer<typeof Event>[] = []
  const state = { reject: 0 }
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const [, time, mac] =
        /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(request.headers["stripe-signature"])) ?? []
      const expected = createHmac("sha256", keys.webhookSecret)
        .update(`${time}.${body}`)
        .digest("hex")
      expect(mac).toBe(expected)
      // Cloudflare's edge refuses a request without one (error 1010).
      expect(request.headers["user-agent"]).toMatch(/./)
      if (state.reject > 0) {
        state.reject -= 1
        return response.writeHead(500).end()
      }
      events.push(Event.parse(JSON.parse(body)))
      return response.end("{}")
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address ? address.port : 0
  return {
    events,
    state,
    types: () => events.map(({ type }) => type),
    // A name that Debian's resolver does not know.
    webhookUrl: `http://service.localhost:${port}/api/v1/processWebhook`,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

export function startProcess(state: string) {
  return startSandbox("payment", state, "--port", "0")
}

export function startHere(state: string) {
  return startSandboxHere(sandbox, state)
}

/** A running sandbox, and the service that it tells of each change. */
export async function openPayment(start: (state: string) => Promise<RunningSandbox>) {
  const directory = await temporaryDirectory()
  const service = await openService()
  const { webhookUrl } = service
  let payment = await start(directory.path)
  await payment.askAsOwner("/local/keys", { method: "PUT", body: { ...keys, webhookUrl } })
  const open = async (key: string, changes: Record<string, string> = {}) =>
    ask(`${payment.url}/v1/checkout/sessions`, {
      headers: { authorization, "idempotency-key": key },
      body: new URLSearchParams({ ...order, ...changes }),
    })
  return {
    service,
    open,
    get url() {
      return payment.url
    },
    checkout: async (key: string) => Session.parse((await open(key)).json),
    read: async (id: string) =>
      (await ask(`${payment.url}/v1/checkout/sessions/${id}`, { headers: { authorization } })).json,
    press: (session: z.infer<typeof Session>, act: string) =>
      ask(`${session.url}/${act}`, { method: "POST" }),
    faults: (body: unknown) => payment.askAsOwner("/local/faults", { method: "PUT", body }),
    askAsOwner: (path: string) => payment.askAsOwner(path),
    async restart() {
      await payment.stop("SIGKILL")
      payment = await start(directory.path)
    },
    async [Symbol.asyncDispose]() {
      await payment.stop()
      await service.close()
      await directory[Symbol.asyncDispose]()
    },
  }
}

export const poll = { timeout: 20_000, interval: 50 }
