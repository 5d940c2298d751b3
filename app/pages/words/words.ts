import { de } from "./de.ts"
import { en, type Words } from "./en.ts"

const languages = { en, de } satisfies Record<string, Words>

export type Language = keyof typeof languages

export const languageNames: Record<Language, string> = { en: "English", de: "Deutsch" }

function isLanguage(text: string | null | undefined): text is Language {
  return text !== null && text !== undefined && Object.hasOwn(languages, text)
}

type Wish = {
  /** What the link says, what the browser remembers. */
  chosen: (string | null | undefined)[]
  /** What the browser likes: `accept-language`. */
  accepted: string | null
  /** Those of the operator, the first for whoever likes none of them. */
  offered?: Language[] | undefined
}

/** The first of them that there is. */
export function languageOf({ chosen, accepted, offered = ["en", "de"] }: Wish) {
  const liked = (accepted ?? "").split(",").map((part) => {
    const [tag = "", weight = "q=1"] = part.trim().split(";")
    return { language: tag.slice(0, 2).toLowerCase(), weight: Number(weight.split("=")[1]) }
  })
  const ordered = liked.toSorted((one, other) => other.weight - one.weight)
  const names = [...chosen, ...ordered.map(({ language }) => language)]
  const [first = "en"] = offered
  return names.filter(isLanguage).find((name) => offered.includes(name)) ?? first
}

/** What the API calls a thing, in words; a newer version may have more of them. */
export function wordFor(names: Record<string, string>, name: string) {
  return (Object.hasOwn(names, name) ? names[name] : undefined) ?? name.replaceAll("_", " ")
}

export function wordsOf(language: Language): Words {
  return languages[language]
}
