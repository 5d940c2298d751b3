import { serve } from "@accounts-stack/local/daemon/testing/serve"
import { expect, test } from "vitest"

import { requestService } from "./service-request.ts"

test("a name of this machine is asked here, whatever the system's resolver knows", async () => {
  await using server = await serve(({ headers }, response) => {
    response.end(headers.host)
  })
  const { port } = new URL(server.url)
  for (const name of ["localhost", "api.accounts.localhost"]) {
    const address = { url: `http://${name}:${port}` }
    const { text } = await requestService({ address, path: "/", headers: {}, timeout: 5000 })
    expect(text).toBe(`${name}:${port}`)
  }
})
