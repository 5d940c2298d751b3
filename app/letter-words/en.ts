import type { noticed } from "../service/admin/audit-entry.table.ts"

/** The words of every letter: a subject and its paragraphs. English is the one that the others are held to. */
export const en = {
  /** Of times, for Intl. */
  locale: "en-GB",
  hello: "Hello,",
  unknownBrowser: "an unknown browser",
  occasion: (time: string, browser: string, system: string | null) =>
    `on ${time}, with ${browser}${system === null ? "" : ` on ${system}`}`,
  /** Below what has happened, and the second where it is somebody else's doing. */
  happened: (occasion: string) => `It happened ${occasion}.`,
  happenedAt: (time: string) => `It was done on ${time}.`,
  /** A way to sign in, where it is no provider. */
  password: "the password",
  verification: (link: string): Letter => [
    "Verify your e-mail address",
    "Please confirm that this is your e-mail address:",
    link,
    "The link is valid for 24 hours. In another browser than the one in which you signed up, it asks for your password. If you did not sign up, ignore this e-mail.",
  ],
  reset: (link: string): Letter => [
    "Reset your password",
    "You can choose a new password here:",
    link,
    "The link works once and is valid for an hour. If you did not ask to reset your password, ignore this e-mail.",
  ],
  addressCode: (code: string): Letter => [
    "Confirm your new e-mail address",
    "Enter this code where you asked for it:",
    code,
    "It is valid for ten minutes, in that browser alone. If you did not ask for it, ignore this e-mail, and tell nobody the code.",
  ],
  signInCode: (code: string, occasion: string): Letter => [
    "Your code to sign in",
    "Enter this code where you asked for it:",
    code,
    `It was asked for ${occasion}. It is valid for ten minutes, once, in that browser alone. If it was not you, ignore this e-mail, and tell nobody the code: nobody who helps you needs it.`,
  ],
  stepUpCode: (code: string, occasion: string): Letter => [
    "Your code to show that it is you",
    "Enter this code where you asked for it:",
    code,
    `It was asked for ${occasion}. It is valid for ten minutes, once, in that browser alone. If it was not you, somebody else is signed in to your account: end all sessions. Tell nobody the code.`,
  ],
  invitation: (link: string): Letter => [
    "You have been invited",
    "You can open an account with this e-mail address:",
    link,
    "The link works once, for this address alone, and is valid for seven days. If you know nothing about it, ignore this e-mail.",
  ],
  existing: (site: string): Letter => [
    "You already have an account",
    "Someone, perhaps you, tried to open an account with this e-mail address, or to give it to another one, but it already has an account.",
    `You can sign in at ${site}. If you have forgotten your password, you can reset it there.`,
  ],
  reasons: {
    abuse: "it was used against the rules",
    security: "somebody else may have got into it",
    payment: "of a payment",
    request: "somebody who may ask for it did",
    other: "an admin had to",
  },
  roles: { member: "member", admin: "admin", owner: "owner" },
  /** By what has happened. The detail has been put into words. */
  notices: {
    link_identity: (way: string, site: string): Letter => [
      "A new way to sign in to your account",
      `From now on, signing in with ${way} opens your account, too.`,
      `If it was not you, remove it at ${site} and reset your password there.`,
    ],
    unlink_identity: (way: string, site: string): Letter => [
      "A way to sign in was removed from your account",
      `Signing in with ${way} no longer opens your account, and every other session has ended.`,
      `If it was not you, reset your password at ${site}.`,
    ],
    passkey_added: (_: string, site: string): Letter => [
      "A passkey was added to your account",
      "From now on, it opens your account by itself.",
      `If it was not you, remove it at ${site} and reset your password there.`,
    ],
    passkey_removed: (_: string, site: string): Letter => [
      "A passkey was removed from your account",
      "It no longer opens your account, and every other session has ended.",
      `If it was not you, reset your password at ${site}.`,
    ],
    second_factor_on: (_: string, site: string): Letter => [
      "Your account asks for a second factor now",
      "From now on, each sign-in asks for a code of the app that was set up, or a recovery code. Every other session has ended.",
      `If it was not you, somebody else is signed in to your account. Tell those who run ${site} at once.`,
    ],
    second_factor_off: (_: string, site: string): Letter => [
      "The second factor of your account was turned off",
      "A password or another way to sign in opens your account by itself again, and every other session has ended.",
      `If it was not you, reset your password at ${site}, and turn the second factor on again.`,
    ],
    second_factor_locked: (_: string, site: string): Letter => [
      "Somebody tries to guess the code of your account",
      "Somebody who knows your password, or opens your account in another way, has entered many wrong codes. No code of an app is taken from them for a day. They are not in.",
      `If it was not you, reset your password at ${site}.`,
    ],
    recovery_code_used: (_: string, site: string): Letter => [
      "A recovery code of your account was used",
      "It works no more.",
      `If it was not you, reset your password at ${site} and make new recovery codes there.`,
    ],
    recovery_codes_renewed: (_: string, site: string): Letter => [
      "Your account has new recovery codes",
      "Those of before work no more.",
      `If it was not you, somebody else is signed in to your account. Reset your password at ${site}.`,
    ],
    change_password: (_: string, site: string): Letter => [
      "Your password was changed",
      "Somebody who knew the password of your account has set another one.",
      `If it was not you, reset your password at ${site}.`,
    ],
    set_password: (_: string, site: string): Letter => [
      "Your account has a password now",
      "From now on, a password opens your account, too.",
      `If it was not you, somebody else is signed in to your account. Reset your password at ${site}.`,
    ],
    change_email: (_: string, site: string): Letter => [
      "The e-mail address of your account was changed",
      `Your account at ${site} has another e-mail address now, and this one is no longer its own: no letter of it comes here any more, and every other session has ended.`,
      "If it was not you, tell those who run the service at once. Nothing in this e-mail takes the change back, since somebody else may read this mailbox by now.",
    ],
    reset_password: (_: string, site: string): Letter => [
      "Your password was reset",
      "Your account has a new password, by the link of an e-mail, and every session has ended.",
      `If it was not you, somebody reads your e-mails. Reset your password at ${site}.`,
    ],
    change_role: (role: string, site: string): Letter => [
      "Your role was changed",
      `The role of your account is ${role} now.`,
      `You can sign in at ${site}.`,
    ],
    suspend: (reason: string, site: string): Letter => [
      "Your account has been suspended",
      `Your account at ${site} has been suspended, because ${reason}. Every session has ended, and nobody can sign in. Nothing of it is deleted.`,
      "If you think that this is a mistake, tell those who run the service.",
    ],
    unsuspend: (_: string, site: string): Letter => [
      "Your account is open again",
      `You can sign in again at ${site}.`,
    ],
    schedule_deletion: (reason: string, site: string): Letter => [
      "Your account will be deleted",
      `Your account at ${site} will be deleted, with all its data, seven days after this letter, because ${reason}. Until then it is suspended: every session has ended, and nobody can sign in.`,
      "If you think that this is a mistake, tell those who run the service before it is deleted: nobody can bring it back.",
    ],
    cancel_deletion: (_: string, site: string): Letter => [
      "Your account will not be deleted",
      `The deletion of your account at ${site} has been taken back. It is still suspended, until those who run the service let you in again.`,
    ],
    delete_account: (_: string, site: string): Letter => [
      "Your account has been deleted",
      `Your account at ${site} has been deleted, with all its data, as we wrote to you seven days ago. Nobody can bring it back.`,
    ],
    end_sessions: (_: string, site: string): Letter => [
      "You have been signed out",
      `An admin has ended sessions of your account. You can sign in again at ${site}.`,
    ],
    recover_account: (_: string, site: string): Letter => [
      "Your account was given back to this address",
      `Those who run ${site} did it. Every session has ended, and passwords, identities, passkeys and apps are removed, whoever added them. Set a new password, or sign in by a code or a provider where they are offered.`,
      "If you did not ask for it, tell them.",
    ],
    reset_second_factor: (_: string, site: string): Letter => [
      "The second factor of your account was taken off",
      `Those who run ${site} did it, and every session has ended. A password or another way to sign in opens your account by itself again.`,
      "If you did not ask for it, reset your password, and turn the second factor on again.",
    ],
  } satisfies Record<(typeof noticed)[number], Notice>,
}

type Notice = (detail: string, site: string) => Letter

export type Letter = [subject: string, first: string, ...paragraphs: string[]]

export type LetterWords = typeof en
