import { expect, test } from "vitest"

import { languageOf } from "../../service/platform/mail/language.ts"
import { bind } from "../../testing/browser.ts"
import { createReader } from "../../testing/page-reader.ts"
import { de } from "./de.ts"
import { en } from "./en.ts"

function keysOf(words: object, path = ""): string[] {
  return Object.entries(words).flatMap(([key, value]) =>
    typeof value === "object" && value !== null
      ? keysOf(value, `${path}${key}.`)
      : [`${path}${key} ${typeof value}`],
  )
}

test("both languages have the same words, and none is empty", () => {
  expect(keysOf(de)).toEqual(keysOf(en))
  expect(JSON.stringify([en, de])).not.toContain('""')
})

test.each([
  ["the link's language", ["de", "en"], "en", "de"],
  ["the cookie's language", [null, "de"], "en", "de"],
  ["what the browser likes best", [null, null], "fr, en;q=0.5, de-AT;q=0.9", "de"],
  ["English, where it likes none", [null, "xx"], "fr, constructor", "en"],
])("%s counts", (_, chosen, accepted, expected) => {
  expect(languageOf({ chosen, accepted })).toBe(expected)
})

test("a language that is chosen once is kept by the browser", async () => {
  const reader = createReader(bind({ PAGES: "true" }))
  expect((await reader.open("/sign-in")).html).toContain('<html lang="en">')
  expect((await reader.open("/sign-in?language=de")).text).toContain("Passwort vergessen?")
  const remembered = await reader.open("/sign-up")
  expect(remembered.headers.get("content-language")).toBe("de")
})

test.each([
  [1, "in 1 second", "in 1 Sekunde"],
  [60, "in 60 seconds", "in 60 Sekunden"],
  [61, "in 2 minutes", "in 2 Minuten"],
  [86_400, "in 24 hours", "in 24 Stunden"],
])("a wait of %i seconds is said as people say it", (seconds, english, german) => {
  expect(en.tooMany(seconds)).toBe(`Too many attempts. Try again ${english}.`)
  expect(de.tooMany(seconds)).toContain(`Versuche es ${german} noch einmal.`)
})
