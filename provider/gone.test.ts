import { createServer } from "node:http"

import { expect, test } from "vitest"
import * as z from "zod"

import { createApi } from "./api.ts"
import { unlessGone } from "./gone.ts"

function refusal(code: number) {
  return JSON.stringify({ success: false, errors: [{ code, message: "no" }], messages: [] })
}

/** What is made of one answer. */
async function ask(status: number, body: string) {
  const server = createServer((_request, response) => response.writeHead(status).end(body))
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  const api = createApi({ baseUrl: `http://127.0.0.1:${address.port}`, token: "token" })
  try {
    return await unlessGone(api.get("/thing", z.string()))
  } catch {
    return "an error"
  } finally {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
}

test.each([
  ["404 in Cloudflare's envelope, whatever its code", 404, refusal(10_013), undefined],
  [
    "404 in Cloudflare's envelope without a reason",
    404,
    refusal(0).replace(/\{"code.*?\}/, ""),
    undefined,
  ],
  ["404 as a page of something in between", 404, "<html>Not found</html>", "an error"],
  ["404 as JSON of something in between", 404, `{"error":"not found"}`, "an error"],
  ["another status with the code of an absent Worker", 400, refusal(10_007), "an error"],
  ["a refused token", 403, refusal(10_000), "an error"],
])("%s", async (_, status, body, found) => {
  expect(await ask(status, body)).toBe(found)
})
