import { createHash } from "node:crypto"
import { createWriteStream, openAsBlob } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"

import { countRows } from "@accounts-stack/d1-migrations/d1"
import { Decrypter, Encrypter } from "age-encryption"
import { AwsClient } from "aws4fetch"

import { Failure, messageOf } from "../../../base/failure.ts"
import { createPrivateFolder } from "../../process/local-process.ts"
import type { DeployedStack } from "../../stack/deployed-stack.ts"
import { sweepScratchD1 } from "../table-contents.ts"
import { parseHeader, type Backup, backUp, tryRestore, openUpload } from "./backup.ts"
import { readDump } from "./dump.ts"

type Site = Pick<DeployedStack, "stack" | "api" | "accountId" | "databaseId" | "database">
type Options = { location: string; signal: AbortSignal; say: (line: string) => void }

/** A backup in a bucket: `age` in milliseconds, by the bucket's clock. */
type StoredBackup = { url: string; bytes: number; at: string; age: number }

const keyPattern = /^[\w.-]+\/(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\dZ)(?:\.([\da-f]{8}))?\.sql\.age$/

type Source = { stack: string; at: string; databaseId: string }

/** Includes the database id: another project may use the same stack name and bucket. */
function keyOf({ stack, at, databaseId }: Source): string {
  return `${stack}/${at.slice(0, 19).replaceAll(":", "-")}Z.${databaseId.slice(0, 8)}.sql.age`
}

/** Backs up a database, encrypts the file and stores it. Checks the keys and the bucket before the export. */
export async function storeBackup(site: Site, { location, signal, say }: Options): Promise<Backup> {
  const bucket = openBucket(location)
  const seal = openSealer()
  await bucket.list(site.stack)
  await using folder = await createPrivateFolder()
  const file = join(folder.path, "backup.sql")
  const backup = await backUp(site, { output: file, signal, say })
  const name = keyOf({ ...site, at: backup.at })
  say(`storing it, encrypted, as ${name}`)
  await bucket.put(name, await seal(file, `${file}.age`), signal)
  return { ...backup, file: bucket.urlOf(name) }
}

/**
 * Lists backups, newest first; with `databaseId`, only backups of that database. A backup's time is the earlier
 * of its name's and its upload's, so that neither makes it look newer.
 */
export async function listBackups(
  location: string,
  { stack, databaseId }: { stack: string; databaseId?: string | undefined },
): Promise<StoredBackup[]> {
  const bucket = openBucket(location)
  const { objects, now } = await bucket.list(stack)
  return objects
    .flatMap(({ key, bytes, stored }) => {
      const [, date, hour, minute, second, idPrefix] = keyPattern.exec(key) ?? []
      const isOther = idPrefix && databaseId && !databaseId.startsWith(idPrefix)
      if (date === undefined || isOther) return []
      const nameTime = Date.parse(`${date}${hour}:${minute}:${second}`)
      const at = new Date(Math.min(nameTime, stored.getTime()))
      return [{ url: bucket.urlOf(key), bytes, at: at.toISOString(), age: now - at.getTime() }]
    })
    .toSorted((a, b) => a.age - b.age)
}

/** Downloads and decrypts a backup, and returns its path. @throws Failure if it is incomplete or another backup */
export async function fetchBackup(
  url: string,
  { folder, signal }: { folder: string; signal: AbortSignal },
): Promise<string> {
  const unseal = openUnsealer()
  const [, parent = "", name = "", query = ""] =
    /^(s3:.*?)\/([^/]+\/[^/?]+)(\?.*)?$/.exec(url) ?? []
  if (!keyPattern.test(name)) {
    throw new Failure("USAGE", `${url} is no backup: list them with ./accounts database backups.`)
  }
  const bucket = openBucket(parent + query)
  const file = join(folder, name.replaceAll("/", "-").replace(/\.age$/, ""))
  try {
    await unseal(await bucket.get(name, signal), file)
    const header = await headerOf(file)
    const expectedName = header === undefined ? "another program's file" : keyOf(header)
    // Older names have no database id.
    if (expectedName !== name && expectedName.replace(/Z\.\w+/, "Z") !== name) {
      throw new Error(`it is ${expectedName} under another name`)
    }
  } catch (error) {
    signal.throwIfAborted()
    const message = `${url} cannot be opened: ${messageOf(error)}. Nothing was changed.`
    throw new Failure("COMMAND_FAILED", message, { cause: error })
  }
  return file
}

async function headerOf(file: string) {
  await using handle = await open(file)
  for await (const line of handle.readLines()) {
    if (line.startsWith("--")) return parseHeader(line.slice(2).trim())
  }
  return undefined
}

/** Restores the newest backup into a scratch database and compares its rows, value by value. */
export async function verifyBackup(site: Site, { location, signal, say }: Options) {
  const [last] = await listBackups(location, site)
  if (last === undefined) throw noBackup(site, location)
  await using folder = await createPrivateFolder()
  const file = await fetchBackup(last.url, { folder: folder.path, signal })
  for (const name of await sweepScratchD1(site)) say(`deleted ${name}, which a killed run had left`)
  say(`restoring ${last.url} into a scratch database`)
  const dump = await readDump(file)
  if (parseHeader(dump.header)?.databaseId !== site.databaseId) throw noBackup(site, location)
  await tryRestore(site, { file, dump, signal, look: async () => [] })
  const live = await countRows(site.database, await site.database.allObjects())
  const tables = dump.tables.flatMap(({ name, count: rows }) =>
    name.startsWith("sqlite_") ? [] : [{ name, rows, now: live.get(name) }],
  )
  return { ...last, tables }
}

function noBackup({ stack, databaseId }: Site, location: string): Failure {
  const message = `There is no backup of the database of ${stack} (${databaseId}) in ${location}.`
  return new Failure("COMMAND_FAILED", message)
}

/** Encrypts for the public keys of ACCOUNTS_BACKUPS_RECIPIENTS: https://age-encryption.org/v1 */
function openSealer() {
  const encrypter = new Encrypter()
  addAll("ACCOUNTS_BACKUPS_RECIPIENTS", (recipient) => encrypter.addRecipient(recipient))
  return async (from: string, to: string) => {
    const sealed = await encrypter.encrypt((await openAsBlob(from)).stream())
    await pipeline(Readable.fromWeb(sealed), privateFile(to))
    return to
  }
}

/** Decrypts with the private keys of ACCOUNTS_BACKUPS_IDENTITY. Its output is valid only after it resolves. */
function openUnsealer() {
  const decrypter = new Decrypter()
  addAll("ACCOUNTS_BACKUPS_IDENTITY", (identity) => decrypter.addIdentity(identity))
  return async (from: ReadableStream<Uint8Array>, to: string) =>
    await pipeline(Readable.fromWeb(await decrypter.decrypt(from)), privateFile(to))
}

function privateFile(path: string) {
  return createWriteStream(path, { flags: "wx", mode: 0o600 })
}

/** Adds each key of an environment variable, in the format of `age-keygen`. Errors never print a key. */
function addAll(name: string, add: (key: string) => void): void {
  const { [name]: text = "" } = process.env
  const keys = text.replaceAll(/^#.*$/gm, "").split(/\s+/).filter(Boolean)
  if (keys.length === 0) throw new Failure("USAGE", `Set ${name}: age-keygen makes both keys.`)
  for (const key of keys) {
    try {
      add(key)
    } catch (error) {
      const secret = messageOf(error).includes(key)
      const reason = secret ? "no key of age" : messageOf(error)
      throw new Failure("USAGE", `${name} cannot be used: ${reason}.`)
    }
  }
}

/**
 * Opens a bucket with its own access key, not with the key of the state.
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
    /** Returns the URL of an object, as commands accept it. */
    urlOf: (key: string) => `s3://${name}/${pathOf(key)}${query}`,
    get,
    /** Lists the objects of a folder. `now` is the time in milliseconds by the bucket's clock. */
    async list(folder: string) {
      const objects: { key: string; bytes: number; stored: Date }[] = []
      for (let after = pathOf(`${folder}/`); ; after = pathOf(objects.at(-1)?.key ?? "")) {
        const prefixed = { prefix: pathOf(`${folder}/`), "start-after": after }
        const parameters = new URLSearchParams({ "list-type": "2", ...prefixed })
        const { response } = await read(`?${parameters.toString()}`)
        const now = Date.parse(response.headers.get("date") ?? "") || Date.now()
        const xml = await response.text()
        const page = Array.from(
          xml.matchAll(/<Contents>(.*?)<\/Contents>/gs),
          ([, contents = ""]) => ({
            key: textOf(contents, "Key").slice(pathOf("").length),
            bytes: Number(textOf(contents, "Size")),
            stored: new Date(textOf(contents, "LastModified")),
          }),
        )
        objects.push(...page)
        if (textOf(xml, "IsTruncated") !== "true" || page.length === 0) return { objects, now }
      }
    },
    /**
     * Stores a new object and reads it back. The stored content decides whether it succeeded: a response
     * may be lost, or may refuse a retry of a request that succeeded.
     * `*` at R2: https://developers.cloudflare.com/r2/api/s3/conditional-operations/
     */
    async put(key: string, file: string, signal: AbortSignal) {
      const blob = await openUpload(file)
      const sha256 = await hashOf(blob.stream())
      const headers = { "if-none-match": "*", "x-amz-content-sha256": sha256 }
      const request = { method: "PUT", body: blob, headers, signal }
      const refusal = await send(`/${pathOf(key)}`, request).then(
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
