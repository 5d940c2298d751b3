import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import { serve } from "../../daemon/testing/serve.ts"
import { openPlane } from "../open-plane.ts"
import type { Plane, VersionSpec } from "../plane.ts"

export type TestPlane = Plane & AsyncDisposable & { directory: string; log: string[] }

export async function openTestPlane(): Promise<TestPlane> {
  const directory = mkdtempSync(join(tmpdir(), "plane-"))
  const log: string[] = []
  const plane = await openPlane({ directory, onLog: (line) => log.push(line) })
  return {
    ...plane,
    directory,
    log,
    async [Symbol.asyncDispose]() {
      await plane.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** A version with one module. Without `code` it responds with its own id. */
export function versionSpec({
  code = respondsWithId,
  ...rest
}: Partial<VersionSpec> & { code?: string } = {}) {
  return {
    id: randomUUID(),
    script: "site",
    number: 1,
    createdOn: "2026-08-01T00:00:00.000Z",
    tag: "",
    mainModule: "worker.js",
    modules: [module("worker.js", code)],
    compatibilityDate: "2026-08-01",
    compatibilityFlags: [],
    bindings: [{ name: "VERSION", type: "version_metadata" }],
    ...rest,
  } satisfies VersionSpec
}

const respondsWithId = "export default { fetch: (_, env) => new Response(env.VERSION.id) }"

export function module(
  name: string,
  content: string | Uint8Array,
  type = "application/javascript+module",
) {
  return { name, contentType: type, content: Buffer.from(content) }
}

/** A server that sends every request to one version, as host `site.test`. */
export async function serveVersion(plane: Pick<Plane, "serve">, versionId: string) {
  let requests = 0
  const server = await serve((request, response) => {
    requests += 1
    plane
      .serve(versionId, { url: `https://site.test${request.url}`, request, response })
      .catch((error: unknown) => response.writeHead(599).end(String(error)))
  })
  return {
    /** How many requests the plane has received. */
    requests: () => requests,
    fetch: (path: string, init?: RequestInit) => fetch(`${server.url}${path}`, init),
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
}

export function pidOf(plane: Plane, name: string): number {
  const entry = plane.processes().find((row) => row.name.startsWith(name))
  if (!entry) throw new Error(`No process ${name} among ${JSON.stringify(plane.processes())}`)
  return entry.pid
}

/** Polls until `check` returns true; only the test's timeout stops it. */
export async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await check())) await sleep(20)
}
