import type { Language } from "../service/platform/mail/language.ts"
import { de } from "./de.ts"
import { en, type LetterWords } from "./en.ts"

/** Texts by language, loaded only by an `import()`, because nothing but emails needs them. */
export const letterWords: Record<Language, LetterWords> = { en, de }
