import type { noticed } from "../service/platform/audit/audit-entry.table.ts"

/** Texts of every email: a subject and its paragraphs. Other languages have the same keys as English. */
export const en = {
  /** Of times, for Intl. */
  locale: "en-GB",
  hello: "Hello,",
  unknownBrowser: "an unknown browser",
  occasion: (time: string, browser: string, system: string | null) =>
    `on ${time}, with ${browser}${system === null ? "" : ` on ${system}`}`,
  /** Below what has happened; the second if it was someone else's action. */
  happened: (occasion: string) => `It happened ${occasion}.`,
  happenedAt: (time: string) => `It was done on ${time}.`,
  /** A sign-in method, where it is no provider. */
  password: "the password",
  verification: (link: string): Letter => [
    "Verify your email address",
    "Please confirm that this is your email address:",
    link,
    "The link is valid for 24 hours. In any browser but the one in which you signed up, it asks for your password. If you did not sign up, ignore this email.",
  ],
  reset: (link: string): Letter => [
    "Reset your password",
    "You can choose a new password here:",
    link,
    "The link works once and is valid for an hour. If you did not ask to reset your password, ignore this email.",
  ],
  addressCode: (code: string): Letter => [
    "Confirm your new email address",
    "Enter this code where you asked for it:",
    code,
    "It is valid for ten minutes, and only in that browser. If you did not ask for it, ignore this email, and do not give the code to anyone.",
  ],
  signInCode: (code: string, occasion: string): Letter => [
    "Your code to sign in",
    "Enter this code where you asked for it:",
    code,
    `It was asked for ${occasion}. It is valid for ten minutes, once, and only in that browser. If it was not you, ignore this email. Do not give the code to anyone: no one who helps you needs it.`,
  ],
  stepUpCode: (code: string, occasion: string): Letter => [
    "Your code to show that it is you",
    "Enter this code where you asked for it:",
    code,
    `It was asked for ${occasion}. It is valid for ten minutes, once, and only in that browser. If it was not you, someone else is signed in to your account: sign out everywhere else, and change your password. Do not give the code to anyone.`,
  ],
  invitation: (link: string): Letter => [
    "You have been invited",
    "You can create an account with this email address:",
    link,
    "The link works once, only for this address, and is valid for seven days. If you were not expecting it, ignore this email.",
  ],
  existing: (site: string): Letter => [
    "You already have an account",
    "Someone, perhaps you, tried to create an account with this email address, or to move another account to it, but it already has one.",
    `You can sign in at ${site}. If you have forgotten your password, you can reset it there.`,
  ],
  reasons: {
    abuse: "it was used against the rules",
    security: "someone else may have gained access to it",
    payment: "of a payment",
    request: "someone entitled to request it did so",
    other: "an admin had to",
  },
  roles: { member: "member", admin: "admin", owner: "owner" },
  /** Notices by action. The detail is already a text. */
  notices: {
    link_identity: (way: string, site: string): Letter => [
      "A sign-in method was added to your account",
      `From now on, signing in with ${way} opens your account, too.`,
      `If it was not you, remove it at ${site} and reset your password there.`,
    ],
    unlink_identity: (way: string, site: string): Letter => [
      "A sign-in method was removed from your account",
      `Signing in with ${way} no longer opens your account, and every other device is signed out.`,
      `If it was not you, reset your password at ${site}.`,
    ],
    passkey_added: (_: string, site: string): Letter => [
      "A passkey was added to your account",
      "From now on, it is enough to sign in.",
      `If it was not you, remove it at ${site} and reset your password there.`,
    ],
    passkey_removed: (_: string, site: string): Letter => [
      "A passkey was removed from your account",
      "It no longer opens your account, and every other device is signed out.",
      `If it was not you, reset your password at ${site}.`,
    ],
    second_factor_on: (_: string, site: string): Letter => [
      "Your account asks for a second factor now",
      "From now on, each sign-in asks for a code from the app that was set up, or for a recovery code. Every other device is signed out.",
      `If it was not you, someone else is signed in to your account. Tell those who run ${site} at once.`,
    ],
    second_factor_off: (_: string, site: string): Letter => [
      "The second factor of your account was turned off",
      "Your password or another sign-in method is enough again, and every other device is signed out.",
      `If it was not you, reset your password at ${site}, and turn the second factor on again.`,
    ],
    second_factor_locked: (_: string, site: string): Letter => [
      "Someone is trying to guess the code of your account",
      "Someone who knows your password, or has another of your sign-in methods, has entered many wrong codes. For a day, no code from an app is accepted from them. They did not get in.",
      `If it was not you, reset your password at ${site}.`,
    ],
    recovery_code_used: (_: string, site: string): Letter => [
      "A recovery code of your account was used",
      "It cannot be used again.",
      `If it was not you, reset your password at ${site} and make new recovery codes there.`,
    ],
    recovery_codes_renewed: (_: string, site: string): Letter => [
      "Your account has new recovery codes",
      "The earlier codes no longer work.",
      `If it was not you, someone else is signed in to your account. Reset your password at ${site}.`,
    ],
    change_password: (_: string, site: string): Letter => [
      "Your password was changed",
      "Your account has a new password. It was set with the one before.",
      `If it was not you, reset your password at ${site}.`,
    ],
    set_password: (_: string, site: string): Letter => [
      "Your account has a password now",
      "From now on, you can also sign in with a password.",
      `If it was not you, someone else is signed in to your account. Reset your password at ${site}.`,
    ],
    change_email: (_: string, site: string): Letter => [
      "The email address of your account was changed",
      `Your account at ${site} has another email address now. This address no longer receives emails about it, and every other device is signed out.`,
      "If it was not you, tell those who run the service at once. Nothing in this email undoes the change, since someone else may be reading it, too.",
    ],
    reset_password: (_: string, site: string): Letter => [
      "Your password was reset",
      "Your account has a new password, set by the link of an email, and every device is signed out.",
      `If it was not you, someone else can read your emails. Reset your password at ${site}.`,
    ],
    change_role: (role: string, site: string): Letter => [
      "Your role was changed",
      `Your account now has the role ${role}.`,
      `You can sign in at ${site}.`,
    ],
    suspend: (reason: string, site: string): Letter => [
      "Your account has been suspended",
      `Your account at ${site} has been suspended, because ${reason}. Every device is signed out, and no one can sign in. Nothing has been deleted.`,
      "If you think that this is a mistake, tell those who run the service.",
    ],
    unsuspend: (_: string, site: string): Letter => [
      "Your account is open again",
      `You can sign in again at ${site}.`,
    ],
    schedule_deletion: (reason: string, site: string): Letter => [
      "Your account will be deleted",
      `Your account at ${site} will be deleted, with all its data, seven days after this email, because ${reason}. Until then it is suspended: every device is signed out, and no one can sign in.`,
      "If you think that this is a mistake, tell those who run the service before it is deleted: it cannot be restored.",
    ],
    cancel_deletion: (_: string, site: string): Letter => [
      "Your account will not be deleted",
      `The deletion of your account at ${site} has been taken back. It stays suspended until those who run the service let you in again.`,
    ],
    delete_account: (_: string, site: string): Letter => [
      "Your account has been deleted",
      `Your account at ${site} has been deleted, with all its data, as we wrote to you seven days ago. It cannot be restored.`,
    ],
    end_sessions: (_: string, site: string): Letter => [
      "You have been signed out",
      `An admin has signed you out on one or more devices. You can sign in again at ${site}.`,
    ],
    recover_account: (_: string, site: string): Letter => [
      "Your account was given back to this address",
      `Those who run ${site} did it. Every device is signed out, and passwords, providers, passkeys and apps are removed, no matter who added them. Set a new password, or sign in with a code or a provider, where those are offered.`,
      "If you did not ask for it, tell them.",
    ],
    reset_second_factor: (_: string, site: string): Letter => [
      "The second factor of your account was taken off",
      `Those who run ${site} did it, and every device is signed out. Your password or another sign-in method is enough again.`,
      "If you did not ask for it, reset your password, and turn the second factor on again.",
    ],
  } satisfies Record<(typeof noticed)[number], Notice>,
}

type Notice = (detail: string, site: string) => Letter

export type Letter = [subject: string, first: string, ...paragraphs: string[]]

export type LetterWords = typeof en
