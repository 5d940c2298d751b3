import { readdir, stat } from "node:fs/promises"
import { createServer } from "node:http"
import { join } from "node:path"

import { expect, test } from "vitest"

import { listen, stopListening } from "../../daemon/listen.ts"
import { temporaryDirectory } from "../../daemon/testing/temporary-directory.ts"
import { type RunningSandbox, startSandboxHere } from "../testing/sandbox-here.ts"
import { ask, startSandbox } from "../testing/sandbox-process.ts"
import { mail as sandbox } from "./mail.ts"

const message = {
  from: "no-reply@localhost",
  to: "ada@example.com",
  subject: "Verify <b>your</b> address",
  text: "Hello <script>Ada</script>,\n\nhttp://localhost:8787/api/auth/verify-email?token=a&x=\"'\n\nBye",
}
const authorization = "Bearer the-service"

function startProcess(state: string) {
  return startSandbox("mail", state, "--port", "0")
}

function startHere(state: string) {
  return startSandboxHere(sandbox, state)
}

async function openMail(start: (state: string) => Promise<RunningSandbox>) {
  const directory = await temporaryDirectory()
  const mail = await start(directory.path)
  await mail.askAsOwner("/local/keys", { method: "PUT", body: { secret: "the-service" } })
  const { url } = mail
  const page =
    url + /"page":"(?<path>[^"]+)"/.exec((await mail.askAsOwner("/local/status")).text)?.[1]
  const send = (headers: Record<string, string> = { authorization }, body: unknown = message) =>
    ask(`${url}/send`, { headers, body })
  const emails = async (after = 0) => (await mail.askAsOwner(`/local/emails?after=${after}`)).json
  return {
    directory: directory.path,
    mail,
    url,
    page,
    send,
    emails,
    async [Symbol.asyncDispose]() {
      await mail.stop()
      await directory[Symbol.asyncDispose]()
    },
  }
}

test("an e-mail from the service can be read over HTTP and on a page", async () => {
  await using set = await openMail(startHere)
  expect(await set.send()).toMatchObject({ status: 200, json: { id: "1" } })
  await set.send({ authorization }, { ...message, to: "grace@example.com" })
  expect(await set.emails()).toMatchObject({ emails: [message, { to: "grace@example.com" }] })
  expect(await set.emails(1)).toMatchObject({ emails: [{ to: "grace@example.com" }] })

  const { text, headers } = await ask(set.page)
  expect(text).toContain("Verify &lt;b&gt;your&lt;/b&gt; address")
  expect(text).toContain("&lt;script&gt;Ada")
  expect(text).toContain('href="http://localhost:8787/api/auth/verify-email?token=a&amp;x="')
  expect(text).not.toContain("<script")
  expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; style-src 'self';/)
  expect((await ask(`${set.url}/style.css`)).headers["content-type"]).toBe("text/css")

  expect((await ask(`${set.page}/clear`, { method: "POST" })).status).toBe(303)
  expect(await set.emails()).toEqual({ emails: [] })
})

test("only the service may send, and only valid e-mails", async () => {
  await using set = await openMail(startHere)
  expect((await set.send({})).status).toBe(401)
  expect((await set.send({ authorization: "Bearer another" })).status).toBe(401)
  expect((await set.send({ authorization }, { ...message, html: "<b>" })).status).toBe(400)
  expect(
    (await set.send({ authorization }, { ...message, text: "x".repeat(100_001) })).status,
  ).toBe(400)
  expect(await set.emails()).toEqual({ emails: [] })
})

test("a page of another origin, a rebound name and a caller without the token read and write nothing", async () => {
  await using set = await openMail(startHere)
  await set.send()
  const { host } = new URL(set.url)
  const token = `Bearer ${await set.mail.token()}`
  const foreign = [
    { host: `evil.test:${host.split(":")[1]}` },
    { origin: "http://evil.localhost:8791" },
    { origin: "null" },
  ]
  for (const headers of foreign) {
    expect((await ask(set.page, { headers })).status).toBe(403)
    expect((await ask(`${set.page}/clear`, { method: "POST", headers })).status).toBe(403)
    expect((await set.send({ authorization, ...headers })).status).toBe(403)
    const read = await ask(`${set.url}/local/emails`, {
      headers: { authorization: token, ...headers },
    })
    expect(read.status).toBe(403)
    expect(read.headers).not.toHaveProperty("access-control-allow-origin")
  }
  expect((await ask(`${set.url}/local/emails`)).status).toBe(400)
  expect((await ask(`${set.url}/outbox/guessed`)).status).toBe(404)
  expect(await set.emails()).toMatchObject({ emails: [message] })
})

test("the newest 500 e-mails survive kill -9, in files that only their owner can read", async () => {
  await using set = await openMail(startProcess)
  for (let count = 0; count < 510; count += 1) await set.send()
  await set.mail.stop("SIGKILL")
  const folder = join(set.directory, "mail")
  for (const file of await readdir(folder)) {
    expect([file, (await stat(join(folder, file))).mode & 0o077]).toEqual([file, 0])
  }

  await using restarted = await startProcess(set.directory)
  const { json } = await restarted.askAsOwner("/local/emails")
  const listing: { emails: { id: number }[] } = Object(json)
  expect(listing.emails.map(({ id }) => id)).toEqual(
    Array.from({ length: 500 }, (_, index) => index + 11),
  )
  // The key survives, too.
  expect(
    (await ask(`${restarted.url}/send`, { headers: { authorization }, body: message })).status,
  ).toBe(200)
  expect(restarted.stderr()).toBe("")
})

test("a state directory has one mail sandbox, which rejects a taken port and exits with its parent", async () => {
  await using directory = await temporaryDirectory()
  const first = await startProcess(directory.path)
  const second = await startProcess(directory.path)
  expect(second.line).toMatchObject({ event: "error", code: "STATE_LOCKED" })
  await using elsewhere = await temporaryDirectory()
  const { port } = new URL(first.url)
  const third = await startSandbox("mail", elsewhere.path, "--port", port)
  expect(third.line).toMatchObject({ event: "error", code: "PORT_IN_USE" })
  first.closeStdin()
  expect(await first.exited).toBe(0)
  await expect(stat(join(directory.path, "mail", "endpoint.json"))).rejects.toThrow("ENOENT")
})

test("a sandbox comes back at the port that it had, and keeps another where that is taken", async () => {
  await using directory = await temporaryDirectory()
  const urls: string[] = []
  const run = async () => {
    const started = await startHere(directory.path)
    urls.push(started.url)
    return started
  }
  await (await run()).stop()
  await (await run()).stop()
  const server = createServer()
  await listen(server, Number(new URL(urls[0] ?? "").port))
  await (await run()).stop()
  await stopListening(server)
  await (await run()).stop()
  const [first, second, third, fourth] = urls
  expect([second, fourth]).toEqual([first, third])
  expect(third).not.toBe(first)
})
