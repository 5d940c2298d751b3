import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import { cachedProgram, pythonProgramMissing } from "./cached-program.ts"

const moto = cachedProgram("moto", "5.2.1")

/** Installs moto, a server that speaks S3, into the user's cache, once. @returns the reason if it cannot */
export function s3Missing(): Promise<string | undefined> {
  // Its extra `server` brings what other services than S3 need, which is most of it.
  return pythonProgramMissing(moto, [`moto[s3]==${moto.version}`, "flask", "flask-cors"])
}

/** It checks no signature, but lets only who names a key change an object. */
const authorization =
  "AWS4-HMAC-SHA256 Credential=a-key/20261122/auto/s3/aws4_request, SignedHeaders=host, Signature=none"

type Bucket = {
  /** Writes an object of the bucket, or asks for its status. */
  object: (key: string, body?: string) => Promise<number>
  read: (key: string) => Promise<string>
  remove: (key: string) => Promise<unknown>
  /** Keys below a prefix. */
  keys: (prefix: string) => Promise<string[]>
}

type S3 = AsyncDisposable &
  Bucket & {
    url: string
    /** Makes another bucket there. */
    beside: (name: string) => Promise<Bucket>
  }

/** An S3 server with one empty bucket, until it is disposed. */
export async function startS3(bucket: string, env: NodeJS.ProcessEnv = {}): Promise<S3> {
  const port = await freePort()
  const child = spawn(join(moto.folder, "bin", "moto_server"), ["-H", "127.0.0.1", "-p", port], {
    stdio: "ignore",
    env: { ...process.env, ...env },
  })
  const url = `http://127.0.0.1:${port}`
  for (;;) {
    if (child.exitCode !== null) throw new Error(`moto exited with ${child.exitCode}`)
    // It creates a bucket without a signature.
    const created = await createBucket(`${url}/${bucket}`).catch(() => undefined)
    if (created?.ok) break
    await sleep(200)
  }
  return {
    url,
    ...openBucket(`${url}/${bucket}`),
    async beside(name) {
      await createBucket(`${url}/${name}`)
      return openBucket(`${url}/${name}`)
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      if (child.exitCode === null) await once(child, "exit")
    },
  }
}

function createBucket(url: string): Promise<Response> {
  return fetch(url, { method: "PUT" })
}

function openBucket(url: string): Bucket {
  return {
    async object(key, body) {
      const change = body === undefined ? {} : { method: "PUT", body }
      const headers = { authorization }
      return (await fetch(`${url}/${key}`, { ...change, headers })).status
    },
    async read(key) {
      return await (await fetch(`${url}/${key}`, { headers: { authorization } })).text()
    },
    remove: (key) => fetch(`${url}/${key}`, { method: "DELETE", headers: { authorization } }),
    async keys(prefix) {
      const query = `list-type=2&max-keys=1000&prefix=${encodeURIComponent(prefix)}`
      const list = await fetch(`${url}?${query}`, { headers: { authorization } })
      return Array.from((await list.text()).matchAll(/<Key>([^<]+)</g), ([, key = ""]) => key)
    },
  }
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  return String(typeof address === "object" && address ? address.port : 0)
}
