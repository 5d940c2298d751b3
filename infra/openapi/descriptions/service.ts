import type { Descriptions } from "../operation.ts"

export const service: Descriptions = {
  procedures: {
    settings: {
      summary: "Get what this environment offers",
      description: "The same for every caller; it changes only with a release.",
    },
  },
  fields: {
    "settings.answer.password": "In characters",
    "settings.answer.emailCode": "Whether signInCode takes any",
    "settings.answer.passkeys": "Whether signInPasskey and passkeyAdd take any",
    "settings.answer.secondFactor": "Whether members can turn one on",
    "settings.answer.signInProviders": "For signInWithProvider and linkIdentity",
    "settings.answer.passwords": "Whether they open accounts",
    "settings.answer.requireSecondFactor":
      "Whose sessions do nothing before they have shown one; admins: and owners",
    "settings.answer.verifiesEmail": "Whether a sign-up waits for the link of an e-mail",
    "settings.answer.sendsEmail": "Whether a password can be reset",
    "settings.answer.issuesTokens": "Whether createToken gives any",
    "settings.answer.turnstile":
      "Present if a browser must pass its widget before a sign-up or an email",
    "settings.answer.plans": "How many a member may create in a month",
    "settings.answer.prices": "Empty where no payments are taken",
  },
}
