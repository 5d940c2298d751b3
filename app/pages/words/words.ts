import type { Language } from "../../service/platform/mail/language.ts"
import { de } from "./de.ts"
import { en, type Words } from "./en.ts"

const languages: Record<Language, Words> = { en, de }

export const languageNames: Record<Language, string> = { en: "English", de: "Deutsch" }

/** Translates a name of the API. A name of a newer version, which has no translation yet, is shown with spaces. */
export function wordFor(names: Record<string, string>, name: string) {
  return (Object.hasOwn(names, name) ? names[name] : undefined) ?? name.replaceAll("_", " ")
}

export function wordsOf(language: Language): Words {
  return languages[language]
}
