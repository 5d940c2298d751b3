import { createHash, randomBytes, randomUUID, timingSafeEqual } from "node:crypto"
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"

import { ProcessStartError } from "./listen.ts"

export type StateFolder = ReturnType<typeof openStateFolder>

/**
 * Opens the folder of one process in the state directory. It has `lock`, `token` and, while the process serves,
 * `endpoint.json`. Only its owner can read it.
 *
 * @throws ProcessStartError STATE_LOCKED
 */
export function openStateFolder(directory: string) {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  chmodSync(directory, 0o700)
  const lock = acquireLock(join(directory, "lock"))
  const endpointFile = join(directory, "endpoint.json")
  const withdraw = () => rmSync(endpointFile, { force: true })
  // Remove the endpoint that a killed process has left, which must not be mistaken for this process's.
  withdraw()
  return {
    directory,
    token: openToken(join(directory, "token")),
    publish: (endpoint: unknown) => writeAtomically(endpointFile, `${JSON.stringify(endpoint)}\n`),
    withdraw,
    release: () => lock.release(),
  }
}

/** Reads the bearer token of a state folder, which has 43 characters. Generates it on first use. */
function openToken(file: string): string {
  if (!existsSync(file)) writeAtomically(file, randomBytes(32).toString("base64url"))
  chmodSync(file, 0o600)
  return readFileSync(file, "utf8").trim()
}

export function bearerToken(authorization = ""): string | undefined {
  return /^Bearer (?<token>\S+)$/i.exec(authorization)?.groups?.["token"]
}

/** Compares two secrets in constant time. */
export function equalSecrets(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b))
}

/** Gives both secrets the same length, without which `timingSafeEqual` throws. */
function digest(value: string): Buffer {
  return createHash("sha256").update(value).digest()
}

/**
 * Locks a state folder for this process with an open SQLite transaction. The kernel releases the lock when the process
 * dies, so it is never stale. Other processes can still read the holder's pid: a reserved lock blocks no readers.
 *
 * @throws ProcessStartError STATE_LOCKED
 */
function acquireLock(file: string): { release(): void } {
  const database = new DatabaseSync(file, { timeout: 250 })
  try {
    database.exec("CREATE TABLE IF NOT EXISTS holder (pid INTEGER NOT NULL) STRICT")
    database.exec("BEGIN IMMEDIATE; DELETE FROM holder")
    database.prepare("INSERT INTO holder (pid) VALUES (?)").run(process.pid)
    database.exec("COMMIT")
    // If another process has locked it since the commit, it has written its own pid, and this statement fails.
    database.exec("BEGIN IMMEDIATE")
  } catch (cause) {
    const pid = holder(database)
    database.close()
    throw new ProcessStartError(
      "STATE_LOCKED",
      `${file} is held by process id ${pid ?? "unknown"}. Use that process, or stop it first: \`kill ${pid ?? "unknown"}\``,
      { cause, ...(pid !== undefined && { holder: pid }) },
    )
  }
  return { release: () => database.close() }
}

/** Returns the pid of the lock's holder; undefined if it cannot be read. */
function holder(database: DatabaseSync): number | undefined {
  try {
    const pid = database.prepare("SELECT pid FROM holder").get()?.["pid"]
    return pid === undefined ? undefined : Number(pid)
  } catch {
    return undefined
  }
}

/** Writes a file with mode 0600. Readers see the old or the new content, even after a power failure. */
export function writeAtomically(file: string, content: string | Uint8Array) {
  const temporary = `${file}.${randomUUID()}.tmp`
  const descriptor = openSync(temporary, "wx", 0o600)
  try {
    const bytes = Buffer.from(content)
    for (let written = 0; written < bytes.length;) {
      written += writeSync(descriptor, bytes, written)
    }
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(temporary, file)
  syncDirectory(dirname(file))
}

function syncDirectory(directory: string) {
  if (process.platform === "win32") return
  const descriptor = openSync(directory, "r")
  fsyncSync(descriptor)
  closeSync(descriptor)
}
