import { de } from "./de.ts"
import { en, type Words } from "./en.ts"

const languages = { en, de } satisfies Record<string, Words>

export type Language = keyof typeof languages

export const languageNames: Record<Language, string> = { en: "English", de: "Deutsch" }

function isLanguage(text: string | null | undefined): text is Language {
  return text !== null && text !== undefined && Object.hasOwn(languages, text)
}

/** The first of them that there is: what the link says, what the browser remembers, what it likes. */
export function languageOf(chosen: (string | null | undefined)[], accepted: string | null) {
  const liked = (accepted ?? "").split(",").map((part) => {
    const [tag = "", weight = "q=1"] = part.trim().split(";")
    return { language: tag.slice(0, 2).toLowerCase(), weight: Number(weight.split("=")[1]) }
  })
  const ordered = liked.toSorted((one, other) => other.weight - one.weight)
  const names = [...chosen, ...ordered.map(({ language }) => language)]
  return names.find(isLanguage) ?? "en"
}

/** What the API calls a thing, in words; a newer version may have more of them. */
export function wordFor(names: Record<string, string>, name: string) {
  return (Object.hasOwn(names, name) ? names[name] : undefined) ?? name.replaceAll("_", " ")
}

export function wordsOf(language: Language): Words {
  return languages[language]
}
