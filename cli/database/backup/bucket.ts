import { createHash } from "node:crypto"

import { AwsClient } from "aws4fetch"
import * as z from "zod"

import { Failure, messageOf } from "../../../base/failure.ts"

type StoredObject = { key: string; bytes: number; stored: Date }

const Location = z.object({
  protocol: z.literal("s3:"),
  hostname: z.string().regex(/^[a-z0-9][a-z0-9.-]+$/),
  pathname: z.string().regex(/^[\w./-]*$/),
})
/** Of one bucket alone, and not the key of the state. */
const Key = z.object({
  ACCOUNTS_BACKUPS_ACCESS_KEY_ID: z.string().min(1),
  ACCOUNTS_BACKUPS_SECRET_ACCESS_KEY: z.string().min(1),
})

/**
 * @param location `s3://bucket/prefix?endpoint=<account>.r2.cloudflarestorage.com`; at AWS `?region=`
 * @throws Failure USAGE
 */
export function openBucket(location: string, env: NodeJS.ProcessEnv = process.env) {
  const url = URL.canParse(location) ? new URL(location) : undefined
  const { data: place } = Location.safeParse(url)
  const region = url?.searchParams.get("region") ?? "auto"
  const endpoint =
    url?.searchParams.get("endpoint") ??
    (region === "auto" ? undefined : `s3.${region}.amazonaws.com`)
  if (place === undefined || endpoint === undefined) {
    const form = "s3://<bucket>/<prefix>?endpoint=<account>.r2.cloudflarestorage.com"
    throw new Failure("USAGE", `${location} is no bucket: write ${form}, or ?region= at AWS.`)
  }
  const { data: key, error } = Key.safeParse(env)
  if (key === undefined) {
    const missing = error.issues.map(({ path }) => path.join(".")).join(" and ")
    throw new Failure("USAGE", `The bucket ${place.hostname} needs a key: set ${missing}.`)
  }
  const client = new AwsClient({
    accessKeyId: key.ACCOUNTS_BACKUPS_ACCESS_KEY_ID,
    secretAccessKey: key.ACCOUNTS_BACKUPS_SECRET_ACCESS_KEY,
    service: "s3",
    region,
    retries: 4,
  })
  const root = `${endpoint.includes("://") ? endpoint : `https://${endpoint}`}/${place.hostname}`
  const prefix = place.pathname.replace(/^\/+|\/+$/g, "")
  const pathOf = (name: string) => (prefix === "" ? name : `${prefix}/${name}`)

  const send = (path: string, init: RequestInit = {}) =>
    client.fetch(root + path, { redirect: "error", ...init })
  const expectOk = async (response: Response) => {
    if (response.ok) return response
    throw new Failure("COMMAND_FAILED", await refusalOf(response))
  }
  const get = async (name: string, signal: AbortSignal) => {
    const { body } = await expectOk(await send(`/${pathOf(name)}`, { signal }))
    if (body === null) throw new Failure("COMMAND_FAILED", `${name} is empty`)
    return body
  }
  const refusalOf = async (response: Response) => {
    const [, code = "no reason"] = /<Code>([^<]+)</.exec(await response.text()) ?? []
    return `The bucket ${place.hostname} answers ${response.status} (${code})`
  }

  return {
    /** As commands take it. */
    urlOf: (name: string) => `s3://${place.hostname}/${pathOf(name)}${url?.search ?? ""}`,
    get,
    /** What lies in a folder, and the time by the bucket's clock. */
    async list(folder: string) {
      const objects: StoredObject[] = []
      const start = pathOf(`${folder}/`)
      for (let after = ""; ; after = pathOf(objects.at(-1)?.key ?? "")) {
        const query = new URLSearchParams({ "list-type": "2", prefix: start, "start-after": after })
        const response = await expectOk(await send(`?${query.toString()}`))
        const page = objectsIn(await response.text())
        objects.push(
          ...page.found.map((one) => ({ ...one, key: one.key.slice(pathOf("").length) })),
        )
        const now = Date.parse(response.headers.get("date") ?? "") || Date.now()
        if (!page.more || page.found.length === 0) return { objects, now }
      }
    },
    /**
     * Stores an object that does not exist yet, whole or not at all, and reads it back. An answer may be
     * lost, or repeated by a retry: what lies there decides.
     * Conditions of R2: https://developers.cloudflare.com/r2/api/s3/extensions/#conditional-operations-in-putobject
     */
    async put(name: string, { blob, sha256 }: { blob: Blob; sha256: string }, signal: AbortSignal) {
      const headers = { "if-none-match": "*", "x-amz-content-sha256": sha256 }
      const sent = { method: "PUT", body: blob, headers, signal }
      const refusal = await send(`/${pathOf(name)}`, sent).then(
        (response) => (response.ok ? "" : refusalOf(response)),
        messageOf,
      )
      signal.throwIfAborted()
      const stored = await get(name, signal).then(hashOf, messageOf)
      if (stored === sha256) return
      const reason = refusal.includes("(PreconditionFailed)")
        ? "another file has this name, and is not overwritten"
        : refusal || "what was stored is not what was sent"
      throw new Failure("COMMAND_FAILED", `${name} was not stored: ${reason}. Run this again.`)
    },
  }
}

function objectsIn(xml: string) {
  const found = Array.from(xml.matchAll(/<Contents>(.*?)<\/Contents>/gs), ([, one = ""]) => ({
    key: textOf(one, "Key"),
    bytes: Number(textOf(one, "Size")),
    stored: new Date(textOf(one, "LastModified")),
  }))
  return { found, more: textOf(xml, "IsTruncated") === "true" }
}

function textOf(xml: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)<`).exec(xml)?.[1] ?? ""
}

async function hashOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const hash = createHash("sha256")
  for await (const chunk of body) hash.update(chunk)
  return hash.digest("hex")
}
