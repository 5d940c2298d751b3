import { once } from "node:events"

import * as z from "zod"

const Usage = z.object({
  result: z.object({ usedSize: z.number(), backingStorageSize: z.number().default(0) }),
})

/**
 * Bytes of heap and buffers that a Node process holds after a full garbage collection. `stderr` is
 * its output since the start with `--inspect`.
 */
export async function heldMemory(stderr: string): Promise<number> {
  const [, address] = /Debugger listening on (ws:\S+)/.exec(stderr) ?? []
  if (address === undefined) throw new Error("The process was started without --inspect")
  const socket = new WebSocket(address)
  try {
    await once(socket, "open")
    const call = async (id: number, method: string) => {
      const answer = once(socket, "message")
      socket.send(JSON.stringify({ id, method }))
      const [{ data }] = await answer
      return JSON.parse(String(data))
    }
    // Finalizers run after the first collection release memory that the second one frees.
    await call(1, "HeapProfiler.collectGarbage")
    await call(2, "HeapProfiler.collectGarbage")
    const { result } = Usage.parse(await call(3, "Runtime.getHeapUsage"))
    return result.usedSize + result.backingStorageSize
  } finally {
    socket.close()
  }
}
