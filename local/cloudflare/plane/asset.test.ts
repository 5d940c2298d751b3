import { createHash } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import type { Assets, VersionSpec } from "./plane.ts"
import { module, openTestPlane, serveVersion, versionSpec } from "./testing/test-plane.ts"

type TestPlane = Awaited<ReturnType<typeof openTestPlane>>

/** Stores contents in files named by their hash, as the control plane does. */
function assetsOf(plane: TestPlane, contents: Record<string, string>, rules: Assets["rules"] = {}) {
  const directory = join(plane.directory, "contents")
  mkdirSync(directory, { recursive: true })
  const files = Object.entries(contents).map(([path, content]) => {
    const sha256 = createHash("sha256")
      .update(path + content)
      .digest("hex")
    writeFileSync(join(directory, sha256), content)
    const contentType = path.endsWith(".html") ? "text/html; charset=utf-8" : "text/css"
    const unknown = path.endsWith(".bin")
    return {
      path,
      hash: sha256.slice(0, 32),
      content: sha256,
      contentType: unknown ? null : contentType,
    }
  })
  return { directory, files, rules }
}

async function serve(plane: TestPlane, spec: VersionSpec) {
  await plane.start(spec)
  const site = await serveVersion(plane, spec.id)
  return {
    async get(path: string, init: RequestInit = {}) {
      const response = await site.fetch(path, { redirect: "manual", ...init })
      return {
        status: response.status,
        text: await response.text(),
        header: (name: string) => response.headers.get(name),
      }
    },
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  }
}

const pages = {
  "/index.html": "<h1>home</h1>",
  "/about.html": "about",
  "/blog/index.html": "blog",
  "/style.css": "b{}",
  "/a b/ü.css": "i{}",
  "/raw.bin": "raw",
  "/404.html": "lost",
}

const worker = `export default {
  async fetch(request, env) {
    if (new URL(request.url).pathname === "/bound") return env.ASSETS.fetch("https://any.test/style.css")
    return new Response("worker " + request.url + " " + request.cf.colo)
  },
  scheduled() {},
}`

test("assets are served before the Worker, with types, ETags and clean paths", async () => {
  await using plane = await openTestPlane()
  const spec = versionSpec({
    code: worker,
    bindings: [{ name: "ASSETS", type: "assets" }],
    assets: assetsOf(plane, pages, {
      _headers: "/style.css\n  X-Own: yes",
      _redirects: "/old /about 301",
    }),
  })
  await using site = await serve(plane, spec)

  const home = await site.get("/")
  expect([home.status, home.text]).toEqual([200, "<h1>home</h1>"])
  expect(home.header("content-type")).toBe("text/html; charset=utf-8")
  expect(home.header("cache-control")).toBe("public, max-age=0, must-revalidate")
  const etag = `"${spec.assets?.files[0]?.hash}"`
  expect(home.header("etag")).toBe(etag)
  const unchanged = await site.get("/", { headers: { "if-none-match": etag } })
  expect([unchanged.status, unchanged.text]).toEqual([304, ""])
  expect((await site.get("/", { method: "HEAD" })).text).toBe("")
  expect((await site.get("/raw.bin")).header("content-type")).toBeNull()

  expect((await site.get("/about")).text).toBe("about")
  for (const [from, to] of [
    ["/about.html", "/about"],
    ["/index.html", "/"],
    ["/blog", "/blog/"],
    ["/old", "/about"],
  ] as const) {
    expect([from, (await site.get(from)).header("location")]).toEqual([from, to])
  }
  const style = await site.get("/style.css")
  expect([style.text, style.header("x-own")]).toEqual(["b{}", "yes"])
  expect((await site.get("/a%20b/%C3%BC.css")).text).toBe("i{}")

  expect((await site.get("/api?x=1")).text).toBe("worker https://site.test/api?x=1 LOC")
  expect((await site.get("/bound")).text).toBe("b{}")
  expect(await plane.fireCron(spec.id, "* * * * *", new Date(0))).toMatchObject({
    outcome: "ok",
  })
})

test("missing assets follow the configured handling, and the Worker can run first", async () => {
  await using plane = await openTestPlane()
  const none = { modules: [], mainModule: "", bindings: [] }
  const lost = versionSpec({
    ...none,
    assets: assetsOf(plane, pages, { not_found_handling: "404-page" }),
  })
  await using static404 = await serve(plane, lost)
  expect(await static404.get("/nowhere")).toMatchObject({ status: 404, text: "lost" })
  expect(await static404.get("/", { method: "POST" })).toMatchObject({ status: 405 })

  const single = versionSpec({
    ...none,
    assets: assetsOf(plane, pages, { not_found_handling: "single-page-application" }),
  })
  await using application = await serve(plane, single)
  expect(await application.get("/any/where")).toMatchObject({ status: 200, text: "<h1>home</h1>" })

  const first = versionSpec({
    modules: [module("worker.js", worker)],
    bindings: [{ name: "ASSETS", type: "assets" }],
    assets: assetsOf(plane, pages, { run_worker_first: ["/style.css", "/b*"] }),
  })
  await using workerFirst = await serve(plane, first)
  expect((await workerFirst.get("/style.css")).text).toContain("worker")
  expect((await workerFirst.get("/bound")).text).toBe("b{}")
  expect((await workerFirst.get("/about")).text).toBe("about")
})

test("an assets binding needs assets, and paths reach only the declared files", async () => {
  await using plane = await openTestPlane()
  const unbound = versionSpec({ bindings: [{ name: "ASSETS", type: "assets" }] })
  await expect(plane.start(unbound)).rejects.toThrow(
    "binding ASSETS of type assets must have static assets uploaded with this version",
  )
  const assets = assetsOf(plane, { "/style.css": "b{}" })
  writeFileSync(join(assets.directory, "secret"), "secret")
  const spec = versionSpec({ modules: [], mainModule: "", bindings: [], assets })
  await using site = await serve(plane, spec)
  for (const path of ["/secret", `/${assets.files[0]?.content}`, "/%2e%2e/secret", "//secret"]) {
    expect([path, (await site.get(path)).status]).toEqual([path, 404])
  }
})
