import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"

import { afterAll, beforeAll, expect, test } from "vitest"

import { root } from "../base/root.ts"
import { copyCheckout, type Checkout } from "./testing/checkout.ts"
import { sendRequest } from "./testing/send-request.ts"
import { followStart, type StartProcess } from "./testing/start-process.ts"

const anyPorts = ["--port", "0", "--api-port", "0"]

let checkout: Checkout
let start: StartProcess

beforeAll(async () => {
  checkout = copyCheckout()
  start = await followStart(checkout.spawn("start", "--state", checkout.state, ...anyPorts))
})

afterAll(async () => {
  await start?.[Symbol.asyncDispose]()
  await checkout?.[Symbol.asyncDispose]()
})

function signUp(origin: string, email: string) {
  return sendRequest(`${start.url}/api/auth/sign-up/email`, {
    headers: { origin },
    body: { name: "Ada", email, password: "correct horse battery" },
  })
}

test("each link that start and `local status` print leads to what it says", async () => {
  const { stdout } = await checkout.succeed("local", "status", "--state", checkout.state)
  const printed = `${start.stdout()}${stdout}`.matchAll(/^ {2}(\S.*?) {2,}(https?:\S+)/gm)
  const links = new Map([...printed].map(([, title = "", url = ""]) => [`${title} ${url}`, url]))
  const answers = await Promise.all(
    [...links].map(async ([link, url]) => [link, await sendRequest(url)] as const),
  )
  const linkNames = answers.map(([link]) => link.replace(/ http.*/, ""))
  expect(new Set(linkNames)).toEqual(
    new Set([
      "sign up",
      "API page",
      "service",
      "health",
      "Cloudflare API",
      "API",
      "e-mails",
      "payments",
      "sign-in",
    ]),
  )
  // Both lead to the same pages.
  const pagesIn = (text: string) =>
    [...text.matchAll(/^ {2}((?:sign up|API page|service|e-mails|payments|sign-in) .*)/gm)]
      .map(([, row = ""]) => row.replaceAll(/ +/g, " "))
      .toSorted()
  expect(pagesIn(stdout)).toEqual(pagesIn(start.stdout()))
  // The bases of what programs call have no page, and answer in their own words.
  const odd = answers.filter(([link, { status, headers, text }]) => {
    if (link.startsWith("service ")) return headers["accounts-version"] === undefined
    return link.includes("API http") ? !text.includes('"errors"') : status !== 200
  })
  expect(odd).toEqual([])
})

/** Where each example says that it is served, once its page has been opened there, and its service. */
async function openExamples() {
  const addresses: Record<string, string> = {}
  for (const name of ["front-end", "server-rendered"]) {
    const script = join(root, "examples", name, "start.ts")
    const example = spawn(process.execPath, [script, "--state", checkout.state])
    const closed = new Promise<string>((resolve) => example.once("close", () => resolve("nothing")))
    try {
      const printed = new Promise<string>((resolve) =>
        example.stdout.on("data", (chunk: Buffer) => resolve(chunk.toString().trim())),
      )
      // oxlint-disable-next-line no-await-in-loop -- both would have the same port
      const url = await Promise.race([printed, closed])
      // oxlint-disable-next-line no-await-in-loop -- as above
      const page = await sendRequest(url)
      expect(page.status, page.text).toBe(200)
      // oxlint-disable-next-line no-await-in-loop -- as above
      const source = await sendRequest(`${url}/main.js`)
      const isOfLocal = name !== "front-end" || source.text.includes(`"${start.url}"`)
      addresses[name] = isOfLocal ? url : "with another service"
    } finally {
      example.kill()
      // oxlint-disable-next-line no-await-in-loop -- as above
      await closed
    }
  }
  return addresses
}

test("a front end at another port is trusted from then on, and the stack file stays", async () => {
  const read = () =>
    readFileSync(join(checkout.directory, "environments/Pulumi.local.yaml"), "utf8")
  const before = read()
  const state = ["--state", checkout.state, ...anyPorts]
  const otherOrigin = "http://localhost:5199"
  expect((await signUp(otherOrigin, "other@example.com")).status).toBe(403)
  await checkout.succeed("start", "--once", "--web-port", "5199", ...state)
  expect((await signUp(otherOrigin, "other@example.com")).status).toBe(200)
  expect(await openExamples()).toEqual({ "front-end": otherOrigin, "server-rendered": otherOrigin })
  await checkout.succeed("up", "-s", "local", "--yes", ...state)
  expect((await signUp(otherOrigin, "another@example.com")).status).toBe(200)
  await checkout.succeed("start", "--once", "--web-port", "0", ...state)
  expect((await signUp(otherOrigin, "third@example.com")).status).toBe(403)
  expect(read()).toBe(before)
})
