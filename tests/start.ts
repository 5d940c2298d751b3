import type { Checkout } from "./checkout.ts"

export type Started = AsyncDisposable & {
  /** URL of the service. */
  url: string
  /** Everything that it has printed so far, on either stream. */
  output(): string
}

/** `npm start` of a copy: up, and staying up until it is disposed. */
export async function start(checkout: Checkout): Promise<Started> {
  const ports = ["--port", "0", "--api-port", "0"]
  const child = checkout.spawn("start", "--state", checkout.state, ...ports)
  const printed: string[] = []
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const { promise: ready, resolve, reject } = Promise.withResolvers<string>()
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      printed.push(chunk.toString())
      const url = /^ready (\S+)$/m.exec(printed.join(""))?.[1]
      if (url) resolve(url)
    })
  void ended.then(() => reject(new Error(`start ended before it was ready:\n${printed.join("")}`)))
  return {
    url: await ready,
    output: () => printed.join(""),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM")
      await ended
    },
  }
}
