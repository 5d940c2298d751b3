import { serve } from "@accounts-stack/local/daemon/testing/serve"
import { expect, test } from "vitest"
import * as z from "zod"

import { createApi, undefinedIfNotFound } from "./api.ts"

function refusal(code: number) {
  return JSON.stringify({ success: false, errors: [{ code, message: "no" }], messages: [] })
}

/** Result of a request with this response. */
async function ask(status: number, body: string) {
  await using server = await serve((_request, response) => response.writeHead(status).end(body))
  const api = createApi({ baseUrl: server.url, token: "token" })
  try {
    return await undefinedIfNotFound(api.get("/thing", z.string()))
  } catch {
    return "an error"
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
])("%s", async (_, status, body, expectedResult) => {
  expect(await ask(status, body)).toBe(expectedResult)
})
