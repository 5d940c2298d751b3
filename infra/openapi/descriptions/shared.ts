import type { Descriptions } from "../operation.ts"

export const shared: Descriptions = {
  fields: {
    emailCode: "Whether a code that is sent to your address lets you in",
    "answer.signInMethods.providerId": "credential: a password",
    "providers.accountId": "Your id at the provider",
    "answer.signInMethods.accountId": "Your id at the provider",
    "answer.methods.passkeys": "The oldest first",
    backedUp: "Whether a copy of it outlives the device",
    "answer.methods.passkeys.usedAt": "Of the last sign-in or step-up",
    secondFactor: "Null: a sign-in asks for none",
    "secondFactor.totp": "Whether an app shows codes",
    "secondFactor.recoveryCodes": "How many are left",
    device: "Where it was done; null if that is not known, or if an admin did it",
    "answer.sessions.device": "What the user agent says; null if it names nothing known",
    "device.browser": "Such as Firefox",
    "device.system": "Such as Linux",
    method:
      "Of a sign-in or sign-up: `password`, `code`, `passkey`, `invitation` or the id of a provider",
    factor: "Of a sign-in: the second factor that it was shown",
    "device|": "What the user agent says; null if it names nothing known",
    how: "`link`: with the link of an email; `stranger`: by someone who was not signed in; `operator`: by the operator of the service, or the service itself",
    byYou: "Whether you were signed in when you did it",
    "answer.removedSignInMethods.issuer": "Who the provider is",
    "answer.secondFactors.confirmedAt": "Null until a code of the app has shown that it works",
    "answer.formerAddresses.until": "When it is forgotten",
    "answer.usage.period": "Calendar month (UTC)",
    amount: "In the currency's smallest unit",
  },
}
