import { expect, test } from "vitest"

import { webUrl } from "../../testing/browser.ts"
import { visitProvider } from "../../testing/provider-visit.ts"

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
