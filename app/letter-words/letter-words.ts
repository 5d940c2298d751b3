import type { Language } from "../service/mail/language.ts"
import { de } from "./de.ts"
import { en, type LetterWords } from "./en.ts"

/** By language. No more than letters need them, so nothing but an `import()` leads here. */
export const letterWords: Record<Language, LetterWords> = { en, de }
