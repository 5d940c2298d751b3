import type { Descriptions } from "../operation.ts"

export const user: Descriptions = {
  procedures: {
    whoami: { summary: "Get the signed-in user, or null" },
    getProfile: { summary: "Get your profile" },
    updateProfile: { summary: "Change your name, image or language" },
    getPlanAndUsage: { summary: "Get your plan and this month's usage" },
    changeEmail: {
      summary: "Ask for another email address",
      description:
        "Sends a code of eight digits to the new address, for confirmEmail in the same session, within ten minutes. The answer does not reveal whether the address has an account; the owner of that account gets an email about it. A member asks for ten codes in a day.",
    },
    confirmEmail: {
      summary: "Confirm another email address by the code that was sent to it",
      description:
        "In the session that asked for it by changeEmail, which is still proven by a step-up. The address is verified then; all other sessions, and every reset and code under way, end. The former address gets an email.",
    },
    listWays: {
      summary: "List your sign-in methods",
      description: "Also what the environment does not offer now.",
    },
    getOverview: {
      summary: "Get your profile, sign-in methods, devices and newest events",
      description: "What a page about an account shows first, by one read.",
    },
    renameSession: {
      summary: "Name a device of yours",
      description: "Lists of sessions show the name beside what the browser says of itself.",
    },
    renamePasskey: { summary: "Rename a passkey" },
    removePasskey: {
      summary: "Remove a passkey",
      description:
        "Not the last way to sign in, nor the only second factor of an account that must have one. Asks for a step-up. Ends all other sessions. Then call listWays, whose acceptedPasskeys tell the browser; a device that does not hear it still offers what opens nothing any more.",
    },
    beginTotp: {
      summary: "Ask for a second factor, or for another app",
      description:
        "Asks for a step-up, and takes a verified address. An app that shows codes (TOTP, RFC 6238) gets the secret; nothing changes before confirmTotp has its first code, in the same session, within ten minutes.",
    },
    confirmTotp: {
      summary: "Turn on a second factor by the first code of its app",
      description:
        "From now on, each sign-in asks for a code, except with a passkey. A previous app no longer works. Ends all other sessions; the member gets an email.",
    },
    renewRecoveryCodes: {
      summary: "Make new recovery codes",
      description: "Asks for a step-up. All previous codes stop working. The member gets an email.",
    },
    turnOffSecondFactor: {
      summary: "Turn off the second factor",
      description:
        "Asks for a step-up. The app and the recovery codes are worthless then; passkeys stay. Not where the account must have one. Ends all other sessions, and trust in browsers; the member gets an email.",
    },
    forgetBrowsers: {
      summary: "Stop trusting one browser, or all of them",
      description: "listWays lists them. Their next sign-in asks for the second factor.",
    },
    exportData: {
      summary: "Export all data stored about you",
      description:
        "In pages of up to 200 of each kind, fewer of large ones; later pages go on with one kind, until it is complete, and then with the next. Without passwords and tokens, and without what has not been paid for.",
    },
    listSecurityEvents: { summary: "List what happened to your account, newest first" },
  },
  fields: {
    removal: "Whether you may remove it, and why not",
    passwordRemoval: "Whether you may remove it, and why not; null: no password",
    passwordChangedAt: "Null: not known, or no password",
    secondFactorRequired: "Whether your account must have one",
    "renameSession.body.name": "Null: none",
    "answer.language":
      "Of emails; null: that of the browser that asks for one, or else the operator's",
    "updateProfile.body.language":
      "Of emails; null: that of the browser that asks for one, or else the operator's",
    "getOverview.answer.profile.language":
      "Of emails; null: that of the browser that asks for one, or else the operator's",
    "confirmEmail.body.newEmail": "As it was sent to changeEmail",
    "listWays.answer.passkeys": "The oldest first",
    "listWays.answer.passkeys.usedAt": "Of the last sign-in or step-up",
    "renamePasskey.answer.usedAt": "Of the last sign-in or step-up",
    "answer.recoveryCodes":
      "Shown this once. Each works once in place of a code; previous ones no longer work",
    "listWays.answer.acceptedPasskeys":
      "What PublicKeyCredential.signalAllAcceptedCredentials takes, for devices to offer no removed passkey; null: passkeys are off",
    "exportData.answer.profile": "Null on every page but the first",
    "getOverview.answer.sessions": "The newest first",
    "getOverview.answer.events": "The newest first",
    "beginTotp.answer.secret": "In base32, for who types it",
    "beginTotp.answer.uri": "The same as otpauth://, for a QR code",
    "beginTotp.answer.enrolment": "For confirmTotp",
    "forgetBrowsers.body.browserId": "Left out: all",
    "forgetBrowsers.answer.forgotten": "How many",
    "exportData.answer.nextCursor": "Cursor of the next page; null on the last page",
  },
}
