import { createHash } from "node:crypto"

import { AwsClient } from "aws4fetch"

import { Failure, messageOf } from "../../../base/failure.ts"
import { openUpload } from "./backup.ts"

/**
 * Opened with a key of its own, which is not that of the state.
 * @param location `s3://bucket/prefix?endpoint=<account>.r2.cloudflarestorage.com`; at AWS `?region=`
 * @throws Failure USAGE
 */
export function openBucket(location: string) {
  const [, name, folders = "", query = ""] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]+)(\/[\w./-]*)?(\?.*)?$/.exec(location) ?? []
  const place = new URLSearchParams(query)
  const region = place.get("region") ?? "auto"
  const aws = region === "auto" ? undefined : `s3.${region}.amazonaws.com`
  const endpoint = place.get("endpoint") ?? aws
  if (name === undefined || endpoint === undefined) {
    const form = "s3://<bucket>/<prefix>?endpoint=<account>.r2.cloudflarestorage.com"
    throw new Failure("USAGE", `${location} is no bucket: write ${form}, or ?region= at AWS.`)
  }
  const {
    ACCOUNTS_BACKUPS_ACCESS_KEY_ID: accessKeyId,
    ACCOUNTS_BACKUPS_SECRET_ACCESS_KEY: secretAccessKey,
  } = process.env
  if (!accessKeyId || !secretAccessKey) {
    const names = "ACCOUNTS_BACKUPS_ACCESS_KEY_ID and ACCOUNTS_BACKUPS_SECRET_ACCESS_KEY"
    throw new Failure("USAGE", `The bucket ${name} needs a key: set ${names}.`)
  }
  const client = new AwsClient({ accessKeyId, secretAccessKey, service: "s3", region, retries: 4 })
  const root = `${endpoint.includes("://") ? endpoint : `https://${endpoint}`}/${name}`
  const prefix = folders.replaceAll(/^\/+|\/+$/g, "")
  const pathOf = (key: string) => (prefix === "" ? key : `${prefix}/${key}`)

  const send = (path: string, init: RequestInit = {}) =>
    client.fetch(root + path, { redirect: "error", ...init })
  const refusalOf = async (response: Response) => {
    const [, code = "no reason"] = /<Code>([^<]+)</.exec(await response.text()) ?? []
    return `The bucket ${name} answers ${response.status} (${code})`
  }
  const read = async (path: string, init?: RequestInit) => {
    const response = await send(path, init)
    if (response.ok && response.body !== null) return { body: response.body, response }
    throw new Failure("COMMAND_FAILED", await refusalOf(response))
  }
  const get = async (key: string, signal: AbortSignal) =>
    (await read(`/${pathOf(key)}`, { signal })).body

  return {
    /** As commands take it. */
    urlOf: (key: string) => `s3://${name}/${pathOf(key)}${query}`,
    get,
    /** What lies in a folder, and the time by the bucket's clock. */
    async list(folder: string) {
      const objects: { key: string; bytes: number; stored: Date }[] = []
      for (let after = pathOf(`${folder}/`); ; after = pathOf(objects.at(-1)?.key ?? "")) {
        const prefixed = { prefix: pathOf(`${folder}/`), "start-after": after }
        const asked = new URLSearchParams({ "list-type": "2", ...prefixed })
        const { response } = await read(`?${asked.toString()}`)
        const now = Date.parse(response.headers.get("date") ?? "") || Date.now()
        const xml = await response.text()
        const found = Array.from(xml.matchAll(/<Contents>(.*?)<\/Contents>/gs), ([, one = ""]) => ({
          key: textOf(one, "Key").slice(pathOf("").length),
          bytes: Number(textOf(one, "Size")),
          stored: new Date(textOf(one, "LastModified")),
        }))
        objects.push(...found)
        if (textOf(xml, "IsTruncated") !== "true" || found.length === 0) return { objects, now }
      }
    },
    /**
     * Stores an object that does not exist yet, whole or not at all, and reads it back. An answer may be
     * lost, or repeated by a retry: what lies there decides.
     * `*` at R2: https://developers.cloudflare.com/r2/api/s3/conditional-operations/
     */
    async put(key: string, file: string, signal: AbortSignal) {
      const blob = await openUpload(file)
      const sha256 = await hashOf(blob.stream())
      const headers = { "if-none-match": "*", "x-amz-content-sha256": sha256 }
      const sent = { method: "PUT", body: blob, headers, signal }
      const refusal = await send(`/${pathOf(key)}`, sent).then(
        (response) => (response.ok ? "" : refusalOf(response)),
        messageOf,
      )
      signal.throwIfAborted()
      if ((await get(key, signal).then(hashOf).catch(messageOf)) === sha256) return
      const reason = refusal.includes("(PreconditionFailed)")
        ? "another file has this name, and is not overwritten"
        : refusal || "what was stored is not what was sent"
      throw new Failure("COMMAND_FAILED", `${key} was not stored: ${reason}. Run this again.`)
    },
  }
}

function textOf(xml: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)<`).exec(xml)?.[1] ?? ""
}

async function hashOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const hash = createHash("sha256")
  for await (const chunk of body) hash.update(chunk)
  return hash.digest("hex")
}
