import { expect, test } from "vitest"

import documented from "../../docs/pages.md?raw"
import { pages } from "../pages.ts"
import { bindProduction } from "../testing/browser.ts"
import { openMailbox } from "../testing/mailbox.ts"
import { openPageAccount } from "../testing/page-owner.ts"
import { createReader } from "../testing/page-reader.ts"
import { weighPages } from "../testing/page-weight.ts"

/** Bytes that a page may weigh above what the table says of it. It weighs less without a feature. */
const tolerance = 300

const bound = bindProduction({ PAGES: "true", VERIFY_EMAIL: "false", LIMIT_EMAIL: undefined })

async function weigh() {
  openMailbox()
  const account = { name: "Ada", email: "ada@bench.example", change: "role = 'owner'" }
  const owner = await openPageAccount(bound, account)
  const headers = { "accept-language": "en", "sec-fetch-site": "same-origin" }
  const open = async (path: string, isSignedIn: boolean) => {
    const { browser } = isSignedIn ? owner.reader : createReader(bound)
    const answer = await browser.get(path, headers)
    const type = answer.headers.get("content-type") ?? ""
    return { status: answer.status, type, text: await answer.text() }
  }
  return weighPages({ paths: pages.map(({ path }) => path), id: owner.id }, open)
}

test("docs/pages.md says what each page weighs, and how many requests it takes", async () => {
  const rows = documented.matchAll(
    /^\| `(\/\S*)` +\| ([\d.]+) +\| ([\d.]+) +\| ([\d.]+) +\| (\d+) +\|$/gm,
  )
  const stated = [...rows].map(([, path = "", page, gzipped, whole, requests]) => ({
    path,
    bytes: [page, gzipped, whole].map((kb) => Number(kb) * 1000),
    requests: Number(requests),
  }))
  // A removed feature removes its page; the row stays until the next measurement.
  const listed = stated.filter((row) => pages.some(({ path }) => path === row.path))
  const weights = await weigh()
  const whatToDo = "npm run bench -- pages --write"
  expect(
    listed.map(({ path, requests }) => `${path} ${requests}`),
    whatToDo,
  ).toEqual(weights.map(({ path, requests }) => `${path} ${requests}`))
  const outdated = weights.filter(({ path, page, gzipped, all }) => {
    const bytes = stated.find((row) => row.path === path)?.bytes ?? []
    return [page, gzipped, all].some((size, at) => size - (bytes[at] ?? 0) > tolerance)
  })
  expect(outdated, whatToDo).toEqual([])
  // A first visit, before the browser knows anything, scripts left out or not.
  const signIn = weights.find(({ path }) => path === "/sign-in")
  expect(signIn?.all).toBeLessThan(5_000)
})
