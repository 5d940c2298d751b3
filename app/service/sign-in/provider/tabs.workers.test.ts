import { expect, test } from "vitest"

import { webUrl } from "../../../testing/browser.ts"
import { visitProvider } from "../../../testing/provider-visit.ts"

test("sign-ins with a provider in two tabs both end well, in either order", async () => {
  for (const reverse of [false, true]) {
    const { provider, network, start, finish } = await visitProvider()
    using _ = network
    const tabs = [
      { page: `${webUrl}/one`, answer: {} },
      { page: `${webUrl}/two`, answer: {} },
    ]
    for (const tab of tabs) {
      tab.answer = provider.authorize(await start("idp", { callbackURL: tab.page }))
    }
    for (const { page, answer } of reverse ? tabs.toReversed() : tabs) {
      expect(await finish(answer)).toBe(page)
    }
  }
})

test("a browser keeps the five latest sign-ins that it has under way, and none of them twice", async () => {
  const { browser, provider, network, start, finish } = await visitProvider()
  using _ = network
  const answers: Record<string, string>[] = []
  const pending = () => [...browser.cookies.keys()].filter((name) => name.endsWith(".oauth_state"))
  for (let tab = 0; tab < 7; tab += 1) {
    answers.push(provider.authorize(await start()))
    expect(pending().length).toBe(Math.min(tab + 1, 5))
  }
  expect(await finish(answers[6] ?? {})).toBe(webUrl)
  expect(await finish(answers[6] ?? {})).toBe(`${webUrl}?error=state_mismatch`)
  expect(pending().length).toBe(4)
})

test("A56: a state that was never issued names no cookie, ends none, and asks no provider", async () => {
  const { browser, provider, network, start, finish } = await visitProvider()
  using _ = network
  const answer = provider.authorize(await start())
  const before = new Map(browser.cookies)
  const requestCount = network.requests.length
  const head = answer.state.slice(0, 8)
  for (const state of [
    "",
    head,
    `${head}x`,
    answer.state.toUpperCase(),
    `${answer.state} `,
    "a; Path=/; Domain=example.com",
    "a\r\nset-cookie: x=y",
    "=;,\u0000",
    "__proto__",
    "\ud800",
    "x".repeat(5000),
  ]) {
    const page = await finish({ ...answer, state })
    expect([state, page]).toEqual([state, `${webUrl}?error=state_mismatch`])
  }
  const twice = [
    ["state", answer.state],
    ["state", answer.state],
    ["code", "x"],
  ]
  expect(await finish(twice)).toBe(`${webUrl}?error=state_not_found`)
  expect(network.requests.length).toBe(requestCount)
  expect([...before.keys()].filter((name) => !browser.cookies.has(name))).toEqual([])
  expect(await finish(answer)).toBe(webUrl)
})
