import { spawnSync, execFile } from "node:child_process"
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
import { engineOutput } from "./error-report.ts"

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, "packages/tools/cli/main.js"), ...args],
    // The token is missing, so that the command can reach nothing by mistake.
    { encoding: "utf8", env: { ...process.env, CLOUDFLARE_API_TOKEN: "" } },
  )
  return { status, stdout, stderr }
}

test.each([
  [["repair", "-s", "staging", "--port", "9000"], "--port", "staging"],
  [["up", "-s", "production", "--yes", "--api-port", "0"], "--api-port", "production"],
  [["branch", "list", "--port", "9000"], "--port", "this"],
])("%j is refused: a stack at Cloudflare has no port of this machine", (args, flag, ending) => {
  expect(run(...args)).toEqual({
    status: 2,
    stdout: "",
    stderr: `error: ${flag} is of this machine's Cloudflare, and ${ending} is at Cloudflare. Leave it out, or add --local.\n`,
  })
})

test.each([
  [["destroy", "-s", "staging", "--non-interactive"], "Delete all of staging"],
  [["--non-interactive", "destroy", "-s", "local"], "Delete all of local"],
  [["branch", "sweep", "--local", "--non-interactive"], "Delete the previews"],
])("%j asks nothing and changes nothing", (args, question) => {
  const { status, stderr } = run(...args)
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(question) })
  expect(stderr).toContain("Confirm with --yes.")
})

test.each(["CI", "FORCE_COLOR"])("output through a pipe has no colours, also with %s", (name) => {
  const { NO_COLOR: _, ...environment } = process.env
  const nothing = join(tmpdir(), "accounts-no-state")
  const { stderr } = spawnSync(
    process.execPath,
    [join(root, "packages/tools/cli/main.js"), "local", "status", "--state", nothing],
    { encoding: "utf8", env: { ...environment, [name]: "1" } },
  )
  expect(stderr).toBe(
    `error: No local Cloudflare is running on ${nothing}. Start it with \`npm start\`.\n`,
  )
})

test("words of others cannot steer a terminal, hide, or turn a line round, and JSON means the same", () => {
  const text =
    "a\u001B[2J\u009B1m\u0007\r\u202Eb\u200Bc\u2028d\u{E0041}\u001B[31mred\u001B[39m\te\nf"
  const module = JSON.stringify(join(root, "packages/tools/cli/output.ts"))
  const program = `import { print, say } from ${module}; const text = ${JSON.stringify(text)};
    say(text); print(JSON.stringify({ text }))`
  const node = ["--input-type=module", "--eval", program]
  const { stdout, stderr } = spawnSync(process.execPath, node, { encoding: "utf8" })
  expect(stderr).toBe(
    "a\\u001b[2J\\u009b1m\\u0007\\u000d\\u202eb\\u200bc\\u2028d\\udb40\\udc41\u001B[31mred\u001B[39m\te\nf\n",
  )
  expect(stdout).toMatch(/^[\x20-\x7e]+\n$/)
  expect(JSON.parse(stdout)).toEqual({ text })
})

/** As Pulumi 3.259.0 prints it. */
const refused = `code: 1
stderr: error: could not create secrets manager for new stack: secrets (code=Unknown): Error making API request.

URL: PUT http://127.0.0.1:8790/local/key-service/v1/transit/decrypt/local
Code: 400. Raw Message:
 err?: undefined`

test("a local Cloudflare from before there was a key service is named, with the way out", () => {
  expect(engineOutput(refused)).toMatch(/transit\/decrypt\/local[^]*start it with npm start/)
})

function runEnvironment(directory: string, ...words: string[]) {
  const command = [join(root, "packages/tools/cli/main.js"), ...words, "--directory", directory]
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" })
  return { status, stdout, stderr }
}

test.each(["check", "render"])(
  "environment %s says nothing good of a folder without stack files",
  (verb) => {
    using directory = mkdtempDisposableSync(join(tmpdir(), "accounts-empty-"))
    expect(runEnvironment(directory.path, "environment", verb)).toEqual({
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
  expect(runEnvironment(folder.directory, ...check).stdout).toMatch(
    /staging: .*not opened.*cannot be read/,
  )
  rmSync(file)
  mkdirSync(file)
  const rotate = ["secret", "rotate", "AUTH_SECRET", "-s", "staging"]
  expect(runEnvironment(folder.directory, ...rotate)).toEqual({
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
