import { waitUntil } from "cloudflare:workers"

import { type AuditAction, auditActions } from "./service/admin/audit-entry.table.ts"
import type { Keys } from "./service/auth/keys.ts"
import { isSmokeAddress } from "./service/auth/smoke.ts"
import type { SuspensionReason } from "./service/auth/suspension.ts"
import type { Mail } from "./service/mail/mail.ts"

type Recipient = { id: string; email: string }

/** What happened; the detail is the id of a provider, which the operator chose. */
type Notice = { id: string; email: string; action: AuditAction; detail: string | null }

/** What a sign-up set, for its link: another one may have taken its place. */
type SignUp = {
  id: string
  name: string
  /** Hash. */
  password: string
}

/** Where the link of a verification leads, and what it sets. */
type Opening = {
  pages: { page?: string | undefined; errorPage?: string | undefined }
  signUp?: SignUp | undefined
}

type Options = {
  /** Returns whether the mail has been taken. */
  deliver: (mail: Mail) => Promise<boolean>
  keys: Keys
  /** Origin of the API, which handles verification links. */
  url: string
  /** Origin of the front end, or of the service's own pages, to which every link leads in the end. */
  siteUrl: string
}

const reasons: Record<SuspensionReason, string> = {
  abuse: "it was used against the rules",
  security: "somebody else may have got into it",
  payment: "of a payment",
  request: "somebody who may ask for it did",
  other: "an admin had to",
}

/** By what has happened: the subject and the paragraphs. */
const notices: {
  [Action in AuditAction]?: (detail: string | null, siteUrl: string) => [string, ...string[]]
} = {
  link_identity: (detail, siteUrl) => [
    "A new way to sign in to your account",
    `From now on, signing in with ${detail} opens your account, too.`,
    `If it was not you, remove it at ${siteUrl} and reset your password there.`,
  ],
  unlink_identity: (detail, siteUrl) => [
    "A way to sign in was removed from your account",
    `Signing in with ${detail === "credential" ? "the password" : detail} no longer opens your account, and every other session has ended.`,
    `If it was not you, reset your password at ${siteUrl}.`,
  ],
  change_password: (_detail, webUrl) => [
    "Your password was changed",
    "Somebody who knew the password of your account has set another one.",
    `If it was not you, reset your password at ${webUrl}.`,
  ],
  set_password: (_detail, webUrl) => [
    "Your account has a password now",
    "From now on, a password opens your account, too.",
    `If it was not you, somebody else is signed in to your account. Reset your password at ${webUrl}.`,
  ],
  change_email: (_detail, webUrl) => [
    "The e-mail address of your account was changed",
    `Your account at ${webUrl} has another e-mail address now, and this one is no longer its own: no letter of it comes here any more, and every other session has ended.`,
    "If it was not you, tell those who run the service at once. Nothing in this e-mail takes the change back, since somebody else may read this mailbox by now.",
  ],
  reset_password: (_detail, webUrl) => [
    "Your password was reset",
    "Your account has a new password, by the link of an e-mail, and every session has ended.",
    `If it was not you, somebody reads your e-mails. Reset your password at ${webUrl}.`,
  ],
  change_role: (role, webUrl) => [
    "Your role was changed",
    `The role of your account is ${role} now.`,
    `You can sign in at ${webUrl}.`,
  ],
  suspend: (reason, webUrl) => [
    "Your account has been suspended",
    `Your account at ${webUrl} has been suspended, because ${wordsOf(reason)}. Every session has ended, and nobody can sign in. Nothing of it is deleted.`,
    "If you think that this is a mistake, tell those who run the service.",
  ],
  unsuspend: (_detail, webUrl) => [
    "Your account is open again",
    `You can sign in again at ${webUrl}.`,
  ],
  schedule_deletion: (reason, webUrl) => [
    "Your account will be deleted",
    `Your account at ${webUrl} will be deleted, with all its data, seven days after this letter, because ${wordsOf(reason)}. Until then it is suspended: every session has ended, and nobody can sign in.`,
    "If you think that this is a mistake, tell those who run the service before it is deleted: nobody can bring it back.",
  ],
  cancel_deletion: (_detail, webUrl) => [
    "Your account will not be deleted",
    `The deletion of your account at ${webUrl} has been taken back. It is still suspended, until those who run the service let you in again.`,
  ],
  delete_account: (_detail, webUrl) => [
    "Your account has been deleted",
    `Your account at ${webUrl} has been deleted, with all its data, as we wrote to you seven days ago. Nobody can bring it back.`,
  ],
  end_sessions: (_detail, webUrl) => [
    "You have been signed out",
    `An admin has ended sessions of your account. You can sign in again at ${webUrl}.`,
  ],
}

/** A reason that a later version knows is another one here. */
function wordsOf(reason: string | null) {
  const words = new Map<string | null, string>(Object.entries(reasons))
  return words.get(reason) ?? reasons.other
}

/** The actions that this version has words for. */
export const noticed = auditActions.filter((action) => action in notices)

export type Emails = ReturnType<typeof createEmails>

/**
 * The e-mails about an account. They go to addresses that nobody may have verified, so they contain
 * no text that somebody else chose: no name, and the page of a link is sealed. Nothing waits for them:
 * the time that it takes to send one would reveal which addresses have an account.
 */
export function createEmails({ deliver, keys, url: apiUrl, siteUrl }: Options) {
  const send = async (to: string, subject: string, paragraphs: string[], key?: string) =>
    isSmokeAddress(to) ||
    deliver({ to, subject, text: ["Hello,", ...paragraphs].join("\n\n"), key })

  const verification = async ({ id, email }: Recipient, { pages, signUp }: Opening) => {
    const { page = siteUrl, errorPage } = pages
    const token = await keys.seal("verification", { email, user: id, page, errorPage, signUp })
    // Where a damaged link leads.
    const query = new URLSearchParams({ token, callbackURL: siteUrl })
    await send(email, "Verify your e-mail address", [
      "Please confirm that this is your e-mail address:",
      `${apiUrl}/api/auth/verify-email?${query.toString()}`,
      "The link is valid for 24 hours. In another browser than the one in which you signed up, it asks for your password. If you did not sign up, ignore this e-mail.",
    ])
  }

  const reset = async (email: string, token: string, page?: string) => {
    const link =
      page === undefined
        ? `${siteUrl}/reset-password?token=${token}`
        : `${apiUrl}/api/auth/reset-password/${token}?callbackURL=${await keys.seal("reset_page", { page })}`
    await send(email, "Reset your password", [
      "You can choose a new password here:",
      link,
      "The link works once and is valid for an hour. If you did not ask to reset your password, ignore this e-mail.",
    ])
  }

  const addressCode = (email: string, code: string) =>
    send(email, "Confirm your new e-mail address", [
      "Enter this code where you asked for it:",
      code,
      "It is valid for ten minutes, in that browser alone. If you did not ask for it, ignore this e-mail, and tell nobody the code.",
    ])

  const invitation = (email: string, token: string) =>
    send(email, "You have been invited", [
      "You can open an account with this e-mail address:",
      `${siteUrl}/sign-up?invitation=${token}`,
      "The link works once, for this address alone, and is valid for seven days. If you know nothing about it, ignore this e-mail.",
    ])

  return {
    sendInvitation: (email: string, token: string) => waitUntil(invitation(email, token)),

    sendVerification: (to: Recipient, opening: Opening) => waitUntil(verification(to, opening)),

    sendAddressCode: (email: string, code: string) => waitUntil(addressCode(email, code)),

    sendReset: (email: string, token: string, page?: string) =>
      waitUntil(reset(email, token, page)),

    /** About an entry of the audit log. Returns whether the mail service has taken it. */
    sendNotice: async ({ id, email, action, detail }: Notice) => {
      const letter = notices[action]
      if (letter === undefined) return false
      const [subject, ...paragraphs] = letter(detail, siteUrl)
      return await send(email, subject, paragraphs, id)
    },

    sendExisting: ({ email }: Pick<Recipient, "email">) =>
      waitUntil(
        send(email, "You already have an account", [
          "Someone, perhaps you, tried to open an account with this e-mail address, or to give it to another one, but it already has an account.",
          `You can sign in at ${siteUrl}. If you have forgotten your password, you can reset it there.`,
        ]),
      ),
  }
}
