import { expect, test } from "vitest"

import { openTestPlane, serveVersion, versionSpec } from "./testing/test-plane.ts"

const code = `export default {
  async fetch({ url }) {
    const iterations = Number(new URL(url).searchParams.get("iterations"))
    const algorithm = { name: "PBKDF2", hash: "SHA-256", salt: new Uint8Array(16), iterations }
    const usages = ["deriveBits", "deriveKey"]
    const key = await crypto.subtle.importKey("raw", new Uint8Array(8), "PBKDF2", false, usages)
    const bits = crypto.subtle.deriveBits(algorithm, key, 256)
    const derived = crypto.subtle.deriveKey(algorithm, key, { name: "HMAC", hash: "SHA-256" }, true, ["sign"])
    const [first, second] = await Promise.allSettled([bits, derived])
    return Response.json([first, second].map(({ status, reason }) => reason ? reason.name + ": " + reason.message : status))
  },
}`

test("PBKDF2 takes at most 100,000 iterations", async () => {
  await using plane = await openTestPlane()
  const version = versionSpec({ code })
  await plane.start(version)
  await using site = await serveVersion(plane, version.id)
  const derive = async (iterations: number) =>
    (await site.fetch(`/?iterations=${iterations}`)).json()
  expect(await derive(100_000)).toEqual(["fulfilled", "fulfilled"])
  const refused =
    "NotSupportedError: Pbkdf2 failed: iteration counts above 100000 are not supported (requested 100001)."
  expect(await derive(100_001)).toEqual([refused, refused])
})
