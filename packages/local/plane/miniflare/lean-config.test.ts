import { createServer } from "node:http"

import { expect, test } from "vitest"

import { listen, stopListening } from "../../daemon/listen.ts"
import { openTestPlane, serveVersion, versionSpec } from "../testing/test-plane.ts"
import { leanConfig } from "./miniflare-package.ts"

function user(name: string, code: string) {
  return {
    name: `core:user:${name}`,
    worker: {
      modules: [{ name: "worker.js", esModule: code }],
      bindings: [{ name: "PLANE", service: { name: `core:custom-fetch:${name}` } }],
      cacheApiOutbound: { name: "cache" },
    },
  }
}

function handler(name: string) {
  return {
    name: `core:custom-fetch:${name}`,
    worker: { bindings: [{ name: "MINIFLARE_CUSTOM_SERVICE", text: `0/${name}` }] },
  }
}

/** The names of the services that are left of a configuration whose second Worker has this code. */
function servicesFor(code: string) {
  const { services = [], sockets = [] } = leanConfig({
    services: [
      user("the observer", ""),
      user("site", code),
      handler("site"),
      { name: "cache", worker: {} },
      { name: "core:entry", worker: { bindings: [{ name: "STORE", service: { name: "email" } }] } },
      { name: "email", worker: {} },
      { name: "loopback", external: { http: {} } },
    ],
    sockets: [
      { name: "entry", service: { name: "core:entry" }, http: {} },
      { name: "direct", service: { name: "core:user:site" }, http: {} },
    ],
  })
  expect(sockets.map(({ service }) => service?.name)).toEqual([
    "core:user:the observer",
    "core:user:site",
  ])
  return services.map(({ name }) => name)
}

test("a process runs what its sockets lead to, and no cache for code that has none", () => {
  const workers = ["core:user:the observer", "core:user:site"]
  expect(servicesFor("")).toEqual([...workers, "loopback"])
  expect(servicesFor("caches.default")).toEqual([...workers, "cache", "loopback"])
})

test("a configuration of someone else stays as it is", () => {
  const config = { services: [user("site", ""), { name: "core:entry", worker: {} }], sockets: [] }
  expect(leanConfig(config)).toBe(config)
})

test("a Worker has a cache and a way out, where it names its zone", async () => {
  const outside = createServer((request, response) => response.end(request.headers["cf-worker"]))
  const port = await listen(outside, 0)
  await using cleanUp = new AsyncDisposableStack()
  cleanUp.defer(() => stopListening(outside))
  await using plane = await openTestPlane()
  const version = versionSpec({
    code: `export default {
      async fetch({ url }) {
        if (url.endsWith("/out")) return fetch("http://127.0.0.1:${port}/")
        const stored = await caches.default.match("https://site.test/key")
        if (stored) return stored
        const headers = { "cache-control": "max-age=100" }
        await caches.default.put("https://site.test/key", new Response("stored", { headers }))
        return new Response("new")
      },
    }`,
  })
  await plane.start(version)
  await using site = await serveVersion(plane, version.id)
  const ask = async (path: string) => (await site.fetch(path)).text()
  expect([await ask("/"), await ask("/"), await ask("/out")]).toEqual([
    "new",
    "stored",
    "localhost",
  ])
})
