import { execFileSync } from "node:child_process"
import { mkdtempDisposableSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { serve } from "@accounts-stack/local/daemon/testing/serve"
import { afterAll, expect, test } from "vitest"

import { createMigrationFolder } from "../testing/migration-folder.ts"
import { startProviderHere } from "../testing/provider-here.ts"
import { currentCommit, cutMessage, releaseMessage } from "./provenance.ts"
import { requestService } from "./service-request.ts"

const provider = await startProviderHere({ baseUrl: "http://127.0.0.1:9/client/v4" })
afterAll(() => provider[Symbol.asyncDispose]())

const version = "11111111-1111-4111-8111-111111111111"
const healthy = { status: "ok", version: { id: version, tag: "" } }

type Answer = { status: number; body: unknown; versionId?: string; location?: string }

/** A service that gives these answers in turn, and then repeats the last one. */
async function startService(...answers: Answer[]) {
  const hosts: (string | undefined)[] = []
  const clients = new Set<string | undefined>()
  const server = await serve((request, response) => {
    hosts.push(`${request.headers.host}${request.url}`)
    clients.add(request.headers["user-agent"])
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    if (answer === undefined) return
    const { status, body, versionId, location } = answer
    response.writeHead(status, {
      ...(versionId && { "accounts-version": versionId }),
      ...(location && { location }),
    })
    response.end(JSON.stringify(body))
  })
  return {
    connectTo: server.url,
    hosts,
    clients,
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
}

const url = "https://api.accounts.test"
const good = { status: 200, body: healthy, versionId: version }

test("verification waits for a new hostname and logs its progress", async () => {
  const early = { status: 404, body: "error code: 1042" }
  await using service = await startService(early, { ...good, status: 503 }, good)
  const inputs = { url, connectTo: service.connectTo }
  const created = await provider.create("Verification", inputs, { timeout: 20 })
  expect(created).toEqual({ id: url, outputs: inputs })
  expect([...service.clients]).toEqual([expect.stringMatching(/^accounts-release\/\d+\.\d+\.\d+$/)])
  expect(service.hosts).toEqual(Array.from({ length: 3 }, () => "api.accounts.test/api/health"))
  expect(provider.log).toContain(
    "not yet: 404 without the header accounts-version: no version of this service answered",
  )
  expect(provider.log).toContain(`api.accounts.test is healthy: version ${version}`)
})

test.each([
  ["another service", { status: 200, body: healthy }, "200 without the header accounts-version"],
  ["an ill service", { ...good, status: 503 }, `version ${version} answered 503`],
  ["a service that is behind", { ...good, body: { ...healthy, status: "behind" } }, '"behind"'],
  ["a page", { ...good, body: "<html>" }, `version ${version} answered 200: "<html>"`],
  ["a redirect", { ...good, status: 301, location: "/" }, `version ${version} answered 301`],
  ["an answer of another version", { ...good, versionId: "another" }, `calls itself ${version}`],
])("%s does not count as healthy, and the wait times out", async (_what, answer, problem) => {
  await using service = await startService(answer)
  const inputs = { url, connectTo: service.connectTo }
  const creation = provider.create("Verification", inputs, { timeout: 1 })
  await expect(creation).rejects.toThrow(problem)
  // The first pause takes half of the second that it has; the next pause would be too long.
  expect(service.hosts.length).toBeLessThanOrEqual(2)
})

test("verification gives up on a service that accepts connections but never answers", async () => {
  await using service = await startService()
  const inputs = { url, connectTo: service.connectTo }
  const creation = provider.create("Verification", inputs, { timeout: 2 })
  await expect(creation).rejects.toThrow(/api\/health: no answer: nothing within [\d.]+ s/)
})

test("a refused connection is named in the error", async () => {
  const inputs = { url, connectTo: "http://127.0.0.1:9" }
  const creation = provider.create("Verification", inputs, { timeout: 1 })
  await expect(creation).rejects.toThrow(/no answer: .*ECONNREFUSED 127\.0\.0\.1:9/)
})

test("only a new URL, or a Worker made again, is verified again", async () => {
  const olds = { url, connectTo: "http://127.0.0.1:1" }
  const moved = { olds, oldInputs: olds, inputs: { url, connectTo: "http://127.0.0.1:2" } }
  expect((await provider.diff("Verification", moved)).changes).toBe(false)
  const renamed = { ...moved, inputs: { url: "https://other.accounts.test" } }
  expect(await provider.diff("Verification", renamed)).toMatchObject({
    paths: ["url"],
    replaces: [],
  })
  const change = { olds, oldInputs: { ...olds, worker: "one" }, inputs: { ...olds, worker: "two" } }
  expect(await provider.diff("Verification", change)).toMatchObject({
    paths: ["worker"],
    replaces: [],
  })
  // A state from before this input existed.
  expect((await provider.diff("Verification", { ...change, oldInputs: olds })).changes).toBe(false)
})

test("a name of this machine is asked here, whatever the system's resolver knows", async () => {
  await using server = await serve(({ headers }, response) => {
    response.end(headers.host)
  })
  const { port } = new URL(server.url)
  for (const name of ["localhost", "api.accounts.localhost"]) {
    const address = { url: `http://${name}:${port}` }
    const { text } = await requestService({ address, path: "/", headers: {}, timeout: 5000 })
    expect(text).toBe(`${name}:${port}`)
  }
})

const actions = {
  GITHUB_SHA: "0123456789abcdef",
  GITHUB_ACTOR: "ada",
  GITHUB_REF: "refs/pull/12/merge",
  GITHUB_SERVER_URL: "https://github.com",
  GITHUB_REPOSITORY: "example/accounts",
  GITHUB_RUN_ID: "34",
}

test("a deployment's message names commit, author, pull request and run", async () => {
  expect(await releaseMessage(actions)).toBe(
    "0123456789ab by ada, pull request 12, https://github.com/example/accounts/actions/runs/34",
  )
})

test("a commit is named with the changes that it lacks; files that git does not know are none", async () => {
  await using folder = await createMigrationFolder({ "0000_a.sql": "SELECT 1;" })
  const { directory, write } = folder
  const author = ["-c", "user.name=A", "-c", "user.email=a@acme.com"]
  const git = (...args: string[]) =>
    execFileSync("git", [...author, ...args], { cwd: directory, encoding: "utf8" })
  git("init", "--quiet", "--initial-branch=main")
  git("add", "--all")
  expect(await currentCommit({}, directory)).toBe("no commit")
  git("commit", "--quiet", "--message", "First")
  const head = git("rev-parse", "--short=12", "HEAD").trim()
  expect(await currentCommit({}, directory)).toBe(head)
  await write("notes.md", "unknown to git")
  expect(await currentCommit({}, directory)).toBe(head)
  await write("0000_a.sql", "SELECT 2;")
  expect(await currentCommit({}, directory)).toBe(`${head} with local changes`)
  rmSync(join(directory, ".git"), { recursive: true })
  expect(await currentCommit({}, directory)).toBe("no commit")
})

test("in a workflow, what is checked out is named, and not what started it", async () => {
  const started = { GITHUB_ACTIONS: "true", GITHUB_SHA: "0123456789abcdef" }
  expect(await currentCommit(started)).toBe(await currentCommit({}))
  using folder = mkdtempDisposableSync(join(tmpdir(), "accounts-no-git-"))
  expect(await currentCommit(started, folder.path)).toBe("0123456789ab")
})

test("a user without an entry in the password file can release", async () => {
  const readUser = () => {
    throw new Error("ENOENT: no such file or directory, uv_os_get_passwd")
  }
  expect(await releaseMessage({ GITHUB_SHA: "abc" }, readUser)).toBe("abc by unknown")
})

test("an empty variable, as a job may set it, is ignored", async () => {
  const readUser = () => ({ username: "ada" })
  const empty = { GITHUB_ACTOR: "", USER: "" }
  expect(await releaseMessage({ GITHUB_SHA: "abc", ...empty }, readUser)).toBe("abc by ada")
  const ours = await currentCommit({})
  expect(await releaseMessage({ GITHUB_SHA: "", USER: "bob" })).toBe(`${ours} by bob`)
})

test("a message has at most 900 bytes and ends with a whole character", () => {
  const long = cutMessage("é".repeat(600))
  expect(Buffer.byteLength(long)).toBe(900)
  expect(long).toBe("é".repeat(450))
  expect(cutMessage(`a${"é".repeat(600)}`)).toBe(`a${"é".repeat(449)}`)
  expect(cutMessage(`ab${"😀".repeat(300)}`)).toBe(`ab${"😀".repeat(224)}`)
  expect(cutMessage("short")).toBe("short")
})
