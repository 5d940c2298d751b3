import { createServer } from "node:http"
import { json } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"

import * as z from "zod"

const Email = z.object({ to: z.string(), text: z.string() })

/** Takes the e-mails that a Worker sends, in place of a mail service. */
export async function openMailbox() {
  const received = new Map<string, string>()
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const { to, text } = Email.parse(body)
      received.set(to, text)
      response.writeHead(202).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const bound = server.address()
  const port = typeof bound === "object" && bound !== null ? bound.port : 0
  return {
    url: `http://127.0.0.1:${port}/send`,
    /** The text of the e-mail to an address. @throws Error when none comes in that many ms */
    async textTo(address: string, timeout: number): Promise<string> {
      for (const start = Date.now(); ; await sleep(50)) {
        const text = received.get(address)
        if (text !== undefined) return text
        if (Date.now() - start > timeout) throw new Error("no e-mail was sent")
      }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type Mailbox = Awaited<ReturnType<typeof openMailbox>>
