/** Languages of emails and pages. */
export const languages = ["en", "de"] as const

export type Language = (typeof languages)[number]

type Wish = {
  /** Choices of the reader; the first existing one is used. */
  chosen: (string | null | undefined)[]
  /** Preferences of the browser (`accept-language`). */
  accepted: string | null
  /** Languages that the operator offers; the first one is the default. */
  offered?: Language[] | undefined
}

function isLanguage(text: string | null | undefined): text is Language {
  return languages.some((language) => language === text)
}

/** Returns the reader's preferred language, otherwise the default. */
export function languageOf(wish: Wish) {
  return wishedLanguage(wish) ?? wish.offered?.[0] ?? languages[0]
}

/** Returns undefined if none of the reader's languages is offered. */
export function wishedLanguage({ chosen, accepted, offered = [...languages] }: Wish) {
  const liked = (accepted ?? "").split(",").map((part) => {
    const [tag = "", weight = "q=1"] = part.trim().split(";")
    return { language: tag.slice(0, 2).toLowerCase(), weight: Number(weight.split("=")[1]) }
  })
  const ordered = liked.toSorted((a, b) => b.weight - a.weight)
  const names = [...chosen, ...ordered.map(({ language }) => language)]
  return names.filter(isLanguage).find((name) => offered.includes(name))
}

/** Returns a text such as "in 40 seconds" or "in 3 hours", rounded up. */
export function inTime(language: string, seconds: number) {
  const format = new Intl.RelativeTimeFormat(language)
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 2) return format.format(seconds, "second")
  if (minutes < 120) return format.format(minutes, "minute")
  return format.format(Math.ceil(minutes / 60), "hour")
}
