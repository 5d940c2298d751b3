import { createInterface } from "node:readline"
import { Readable } from "node:stream"

import * as z from "zod"

export function readEvents(response: Response) {
  if (response.body === null) {
    throw new Error(`expected an event stream, got status ${response.status}`)
  }
  const stream = Readable.fromWeb(response.body)
  const lines = createInterface({ input: stream })[Symbol.asyncIterator]()
  let event = ""
  return {
    async next(): Promise<Record<string, unknown>> {
      for (;;) {
        const { value, done } = await lines.next()
        if (done) throw new Error("the event stream ended")
        if (value.startsWith("event:")) event = value.slice("event:".length).trim()
        if (!value.startsWith("data:")) continue
        return { event, ...z.looseObject({}).parse(JSON.parse(value.slice("data:".length))) }
      }
    },
    async [Symbol.asyncDispose]() {
      stream.destroy()
    },
  }
}
