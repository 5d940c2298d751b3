import { generateKeyPairSync } from "node:crypto"
import { readFile, stat, writeFile } from "node:fs/promises"
import { createServer } from "node:https"
import { join } from "node:path"
import { connect } from "node:tls"

import { expect, test } from "vitest"

import { listen, stopListening } from "../daemon/listen.ts"
import { temporaryDirectory } from "../daemon/testing/temporary-directory.ts"
import { type Authority, openAuthority } from "./authority.ts"
import { createCertificates } from "./edge.ts"

/** The verdict of a client that trusts the authority on a server with its certificate. */
async function verify(authority: Authority, hostname: string, servername = hostname) {
  const server = createServer(await authority.issue(hostname))
  const port = await listen(server, 0)
  const ca = await readFile(authority.file)
  const verdict = await new Promise<string>((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, servername, ca })
    socket.once("secureConnect", () => {
      resolve("trusted")
      socket.destroy()
    })
    socket.once("error", (error) => resolve(error.message))
  })
  await stopListening(server)
  return verdict
}

test("only names that no one else owns are certified", async () => {
  await using directory = await temporaryDirectory()
  const authority = await openAuthority(join(directory.path, "authority"))
  const long = `${"a".repeat(63)}.accounts.test`
  for (const name of ["accounts.test", long, "x.localhost", "api.accounts-local.workers.dev"]) {
    expect([name, await verify(authority, name)]).toEqual([name, "trusted"])
  }
  for (const name of ["example.com", "workers.dev", "other.workers.dev", "contest", "test.com"]) {
    expect([name, await verify(authority, name)]).toEqual([name, "permitted subtree violation"])
  }
  expect(await verify(authority, "a.test", "b.test")).toContain("is not in the cert's altnames")
})

test("the authority survives a restart, keeps its key private and replaces a mismatched pair", async () => {
  await using directory = await temporaryDirectory()
  const path = join(directory.path, "authority")
  const { file } = await openAuthority(path)
  const certificate = await readFile(file, "utf8")
  expect((await stat(join(path, "key.pem"))).mode & 0o777).toBe(0o600)
  await openAuthority(path)
  expect(await readFile(file, "utf8")).toBe(certificate)

  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  await writeFile(join(path, "key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }))
  const authority = await openAuthority(path)
  expect(await readFile(file, "utf8")).not.toBe(certificate)
  expect(await verify(authority, "accounts.test")).toBe("trusted")

  await writeFile(join(path, "key.pem"), "nothing")
  await expect(openAuthority(path)).rejects.toThrow("Remove both")
})

test("an unknown or malformed hostname gets no certificate", async () => {
  await using directory = await temporaryDirectory()
  const authority = await openAuthority(directory.path)
  const askedNames: string[] = []
  const certificates = createCertificates(authority, (hostname) => {
    askedNames.push(hostname)
    return hostname.endsWith("known.test")
  })
  expect(await certificates("KNOWN.test")).toBe(await certificates("known.test"))
  expect(await certificates("other.test")).toBeUndefined()
  expect(askedNames).toEqual(["known.test", "known.test", "other.test"])
  for (const name of ["", "a b.known.test", "*.known.test", `${"a.".repeat(130)}known.test`]) {
    expect(await certificates(name)).toBeUndefined()
  }
})
