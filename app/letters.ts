import type { Letter, LetterWords } from "./letter-words/en.ts"
import { isSmokeAddress } from "./service/guard/smoke.ts"
import type { AuditAction } from "./service/platform/audit/audit-entry.table.ts"
import type { Configuration } from "./service/platform/configuration/configuration.ts"
import { afterAnswer } from "./service/platform/database/bounded-database.ts"
import { deviceOf, unpackDevice } from "./service/platform/http/device.ts"
import { type Language, languageOf } from "./service/platform/mail/language.ts"
import type { Mail } from "./service/platform/mail/mail.ts"

/** Recipient of an email. The email is in their language, otherwise in one that their browser prefers. */
export type Reader = {
  email: string
  language?: Language | null
  /** The header `accept-language`, if the reader sent the request. */
  accepted?: string | null | undefined
}

type Recipient = Reader & { id: string }

/** When something was requested, and in which browser (`user-agent`); null if that was not recorded. */
type Occasion = { at: Date; agent: string | null }

/**
 * An event of the security log, with its time and browser (`packDevice`). The detail is the id of a provider, which
 * the operator chose.
 */
type Notice = Recipient & {
  action: AuditAction
  detail: string | null
  at: Date
  device: string | null
}

/** Values of a sign-up for its link, because a later sign-up may have replaced them. */
type SignUp = {
  id: string
  name: string
  /** Hash of the password. */
  password: string
}

/** Pages that a verification link leads to, and the values that it sets. */
type Opening = {
  pages: { page?: string | undefined; errorPage?: string | undefined }
  signUp?: SignUp | undefined
}

type Options = Pick<Configuration, "keys" | "url" | "siteUrl" | "siteName" | "look"> & {
  /** Returns whether the mail has been taken. */
  deliver: (mail: Mail) => Promise<boolean>
}

/** Returns the text for an entry's detail. */
function wordsFor(action: string, detail: string | null, words: LetterWords) {
  const textOf = (names: Record<string, string>) =>
    detail !== null && Object.hasOwn(names, detail) ? names[detail] : undefined
  if (action === "suspend" || action === "schedule_deletion") {
    // A reason that only a later version knows is shown as "other".
    return textOf(words.reasons) ?? words.reasons.other
  }
  if (action === "change_role") return textOf(words.roles) ?? detail ?? ""
  return detail === "credential" ? words.password : (detail ?? "")
}

function wordsOfTime(at: Date, { locale }: LetterWords) {
  const parts = { dateStyle: "long", timeStyle: "short", timeZone: "UTC" } as const
  return `${new Intl.DateTimeFormat(locale, parts).format(at)} UTC`
}

/**
 * Describes the time and the browser, in the reader's language. Only browsers that `deviceOf` recognizes are named,
 * because anyone may send any text.
 */
function wordsOfOccasion(
  at: Date,
  { browser, system }: ReturnType<typeof deviceOf>,
  words: LetterWords,
) {
  return words.occasion(wordsOfTime(at, words), browser ?? words.unknownBrowser, system)
}

export type Emails = ReturnType<typeof createEmails>

/**
 * Sends the emails about an account. The address may be unverified, so an email contains no text that another person
 * chose: no name, and a link's page only encrypted. No response waits for an email, because the delay would reveal
 * which addresses have an account.
 */
export function createEmails(options: Options) {
  const { deliver, keys, url: apiUrl, siteUrl, siteName, look } = options
  const { languages: offered } = look
  const send = async (
    to: Reader,
    write: (words: LetterWords) => Letter | undefined,
    key?: string,
  ) => {
    const { email, language, accepted = null } = to
    if (isSmokeAddress(email)) return true
    const { letterWords } = await import("./letter-words/letter-words.ts")
    const words = letterWords[languageOf({ chosen: [language], accepted, offered })]
    const [subject, ...paragraphs] = write(words) ?? []
    if (subject === undefined) return false
    const below = siteName === undefined ? [] : [siteName]
    const text = [words.hello, ...paragraphs, ...below].join("\n\n")
    return deliver({ to: email, subject, text, key })
  }

  const verification = async (to: Recipient, { pages, signUp }: Opening) => {
    const { page = siteUrl, errorPage } = pages
    const { id, email } = to
    const token = await keys.seal("verification", { email, user: id, page, errorPage, signUp })
    // The page for a damaged link.
    const query = new URLSearchParams({ token, callbackURL: siteUrl })
    const link = `${apiUrl}/api/auth/verify-email?${query.toString()}`
    await send(to, (words) => words.verification(link))
  }

  const reset = async (to: Reader, token: string, page?: string) => {
    const link =
      page === undefined
        ? `${siteUrl}/reset-password?token=${token}`
        : `${apiUrl}/api/auth/reset-password/${token}?callbackURL=${await keys.seal("reset_page", { page })}`
    await send(to, (words) => words.reset(link))
  }

  return {
    sendInvitation: (email: string, token: string) =>
      afterAnswer(() =>
        send({ email }, (words) => words.invitation(`${siteUrl}/sign-up?invitation=${token}`)),
      ),

    sendVerification: (to: Recipient, opening: Opening) =>
      afterAnswer(() => verification(to, opening)),

    sendAddressCode: (email: string, code: string) =>
      afterAnswer(() => send({ email }, (words) => words.addressCode(code))),

    sendCode: (
      to: Reader,
      { code, is }: { code: string; is: "signInCode" | "stepUpCode" },
      { at, agent }: Occasion,
    ) =>
      afterAnswer(() =>
        send(to, (words) => words[is](code, wordsOfOccasion(at, deviceOf(agent), words))),
      ),

    sendReset: (to: Reader, token: string, page?: string) =>
      afterAnswer(() => reset(to, token, page)),

    /** Sends the notice about an audit entry. Returns whether the mail service has accepted it. */
    sendNotice: ({ action, detail, at, device, ...to }: Notice) =>
      send(
        to,
        (words) => {
          const notice = Object.entries(words.notices).find(([name]) => name === action)?.[1]
          if (notice === undefined) return undefined
          const [subject, summary, ...advice] = notice(wordsFor(action, detail, words), siteUrl)
          const happened =
            device === null
              ? words.happenedAt(wordsOfTime(at, words))
              : words.happened(wordsOfOccasion(at, unpackDevice(device), words))
          return [subject, summary, happened, ...advice]
        },
        to.id,
      ),

    sendExisting: (to: Reader) => afterAnswer(() => send(to, (words) => words.existing(siteUrl))),
  }
}
