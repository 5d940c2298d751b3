import { onTestFinished, TestRunner, vi } from "vitest"

export type Remote = (request: Request) => Response | Promise<Response>

/** Replaces the internet until its test ends, or outside of one its scope: hosts that are not listed are unreachable. */
export function createNetwork(remotes: Record<string, Remote>) {
  const requests: Request[] = []
  const fetch = vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init)
    requests.push(request.clone())
    const remote = remotes[new URL(request.url).host]
    if (remote === undefined) throw new TypeError(`${request.url} is unreachable`)
    return remote(request)
  })
  const end = () => fetch.mockRestore()
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(end)
  return { requests, [Symbol.dispose]: end }
}
