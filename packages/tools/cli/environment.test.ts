import { execFile, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempDisposableSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

import { expect, test } from "vitest"

import { root } from "../base/root.ts"
import { createEnvironments } from "../environment/testing/environments-folder.ts"
import { editStackFile } from "../operate/rotate.ts"

function run(directory: string, ...words: string[]) {
  const command = [join(root, "packages/tools/cli/main.js"), ...words, "--directory", directory]
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" })
  return { status, stdout, stderr }
}

test.each(["check", "render"])(
  "environment %s says nothing good of a folder without stack files",
  (verb) => {
    using directory = mkdtempDisposableSync(join(tmpdir(), "accounts-empty-"))
    expect(run(directory.path, "environment", verb)).toEqual({
      status: 2,
      stdout: "",
      stderr: expect.stringContaining(`${directory.path} has no Pulumi.<stack>.yaml`),
    })
  },
)

test("secrets of a stack file that cannot be read are not in order", () => {
  using folder = createEnvironments()
  const file = join(folder.directory, "Pulumi.staging.yaml")
  writeFileSync(file, "config:\n  a: [1\n")
  const check = ["environment", "check", "--secrets"]
  expect(run(folder.directory, ...check).stdout).toMatch(/staging: .*not opened.*cannot be read/)
  rmSync(file)
  mkdirSync(file)
  const rotate = ["secret", "rotate", "AUTH_SECRET", "-s", "staging"]
  expect(run(folder.directory, ...rotate)).toEqual({
    status: 1,
    stdout: "",
    stderr: `error: ${file} is a folder.\n`,
  })
})

test("a change is made again of a file that an editor saved meanwhile", async () => {
  using directory = mkdtempDisposableSync(join(tmpdir(), "accounts-"))
  const file = join(directory.path, "Pulumi.staging.yaml")
  writeFileSync(file, "a: 1\n")
  let times = 0
  await editStackFile(file, (document) => {
    times += 1
    if (times === 1) writeFileSync(file, "a: 1\nb: 2\n")
    document.set("c", 3)
  })
  expect([times, readFileSync(file, "utf8")]).toEqual([2, "a: 1\nb: 2\nc: 3\n"])
})

test("--online names what the services of a stack file answer, and refuses nothing", async () => {
  const server = createServer((_, response) => {
    response
      .setHeader("content-type", "application/json")
      .end(JSON.stringify({ issuer: "https://other.example" }))
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("it has no port")
  const url = `http://127.0.0.1:${address.port}`
  using folder = createEnvironments()
  const file = join(folder.directory, "Pulumi.local.yaml")
  const text = readFileSync(join(root, "environments/Pulumi.local.yaml"), "utf8")
  // The mail service answers; nothing listens at the port of the payment service.
  const edited = text
    .replace(/issuer: .*/, `issuer: ${url}/`)
    .replace(/mailUrl: .*/, `mailUrl: ${url}/send`)
    .replace(/paymentUrl: .*/, "paymentUrl: http://127.0.0.1:1")
  writeFileSync(file, edited)
  const command = [join(root, "packages/tools/cli/main.js"), "environment"]
  const online = async (...words: string[]) => {
    const directory = ["--directory", folder.directory]
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...command,
      ...words,
      ...directory,
    ])
    return stdout
  }
  await online("render")
  const { outbound } = JSON.parse(await online("check", "--online", "--json"))
  const ofLocal = outbound.filter(({ stack }: { stack: string }) => stack === "local")
  expect(ofLocal.map(({ warning }: { warning: string }) => warning)).toEqual([
    `accounts:identityProviders.idp: ${url}/ names the issuer https://other.example, not ${url}/`,
    expect.stringMatching(/^accounts:paymentUrl: 127\.0\.0\.1:1 cannot be reached/),
  ])
  expect(await online("check", "--online")).toContain(`names the issuer https://other.example`)
  server.close()
})
