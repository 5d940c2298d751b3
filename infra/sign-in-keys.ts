import { mayUse } from "../app/service/platform/configuration/relying-party.ts"

type Environment = {
  environment?: string | undefined
  password?: "on" | "off" | undefined
  emailCode?: "on" | "off" | undefined
  signUp?: string | undefined
  identityProviders?: object | undefined
  secondFactor?: "on" | "off" | undefined
  requireSecondFactor?: string | undefined
  passkeys?: "off" | { rpId: string; insteadOf?: string | undefined } | undefined
  cookieDomain?: string | undefined
  webOrigin?: string | undefined
  apiOrigin?: string | undefined
  trustedOrigins?: string[] | undefined
  secrets?: object | undefined
  mailUrl?: string | undefined
  keepMail?: boolean | undefined
}

type Subject = { environment: Environment; values: object }

function requiresFactor({ requireSecondFactor = "none" }: Environment) {
  return requireSecondFactor !== "none"
}

/** Reports a required factor that no member could turn on. */
function notOffered(stack: Environment) {
  const { environment, secondFactor, secrets } = stack
  if (!requiresFactor(stack)) return []
  if (secondFactor === "off") {
    return [{ path: ["accounts:secondFactor"], reason: "is off, so no member could turn one on" }]
  }
  // Other environments generate the secret.
  const isMade = environment !== "staging" && environment !== "production"
  return isMade || secrets === undefined || "FACTOR_SECRET" in secrets
    ? []
    : [
        {
          path: ["accounts:secrets"],
          reason: "lacks FACTOR_SECRET, so no member could turn one on",
        },
      ]
}

/** Reports that no email can be sent: a member needs a verified address to turn on a factor. */
function unproven(stack: Environment, values: object) {
  const sends = stack.mailUrl || stack.keepMail || "accounts:mailUrl" in values
  return !requiresFactor(stack) || sends
    ? []
    : [{ path: ["accounts:mailUrl"], reason: "is missing, so no address could be verified" }]
}

/** Rule of stack files that prevents locking out every member. */
const usableFactor = {
  id: "A13",
  message: "Members who must have a second factor can turn one on",
  fix: "openssl rand -hex 32 | pulumi config set --secret --path accounts:secrets.FACTOR_SECRET, or remove accounts:requireSecondFactor",
  check: ({ environment, values }: Subject) => [
    ...notOffered(environment),
    ...unproven(environment, values),
  ],
}

/** Reports passkeys that are unusable because no trusted origin lies below their domain. */
function unusable(environment: Environment) {
  const { passkeys } = environment
  if (passkeys === undefined || passkeys === "off") return []
  const origins = originsOf(environment)
  if (origins.some((origin) => mayUse(origin, passkeys.rpId))) return []
  return [{ path: ["accounts:passkeys", "rpId"], reason: `has none of ${origins.join(", ")}` }]
}

const usablePasskeys = {
  id: "A12",
  message: "Passkeys work on a trusted origin, which lies below their domain",
  fix: "set rpId to a domain that trusted origins lie below, or accounts:passkeys to off",
  check: ({ environment }: Subject) => unusable(environment),
}

function originsOf({ webOrigin, apiOrigin, trustedOrigins }: Environment) {
  return trustedOrigins ?? [webOrigin, apiOrigin].flatMap((origin) => origin || [])
}

/**
 * Returns the relying party's id for the Worker: the declared domain, otherwise the cookie domain, otherwise the API's
 * host. Returns `off` if no trusted origin lies below it.
 */
export function relyingPartyId(environment: Environment & { apiOrigin: string }) {
  const { passkeys, cookieDomain, apiOrigin } = environment
  if (passkeys === "off") return "off"
  if (passkeys !== undefined) return passkeys.rpId
  const rpId = cookieDomain ?? new URL(apiOrigin).hostname
  return originsOf(environment).some((origin) => mayUse(origin, rpId)) ? rpId : "off"
}

/** A new domain makes all passkeys useless, so the stack file must name the domain that it replaces. */
export const passkeysLost = {
  loses: "every passkey stops working: they belong to",
  fix: "To keep them, set accounts:passkeys: {rpId} to that domain; else add insteadOf with it, or set accounts:passkeys to off",
  nothing: "off",
  givenUp: ({ passkeys }: Pick<Environment, "passkeys">) =>
    passkeys === "off" ? "any" : passkeys?.insteadOf,
}

function hasProviders({ identityProviders = {} }: Environment) {
  return Object.keys(identityProviders).length > 0
}

/** Reports that no member could sign in. */
function noWayIn(environment: Environment) {
  const { password, emailCode } = environment
  return password === "off" && emailCode !== "on" && !hasProviders(environment)
    ? [{ path: ["accounts:password"], reason: "is off, so no member could sign in" }]
    : []
}

/** Reports that no user could sign up, because an emailed code creates no account. */
function noWayToJoin(environment: Environment) {
  const { password, emailCode, signUp } = environment
  const isOpen = password === "off" && emailCode === "on" && signUp !== "closed"
  return isOpen && !hasProviders(environment)
    ? [{ path: ["accounts:signUp"], reason: `is ${signUp}, but no visitor can sign up` }]
    : []
}

/** Reports that no code could be sent. */
function unsentCodes({ emailCode, mailUrl, keepMail }: Environment, values: object) {
  return emailCode === "on" && !mailUrl && !keepMail && !("accounts:mailUrl" in values)
    ? [{ path: ["accounts:mailUrl"], reason: "is missing, so no code can be sent" }]
    : []
}

/** Rules of stack files about sign-in methods. */
export const signInRules = [
  usableFactor,
  usablePasskeys,
  {
    id: "A01",
    message: "Where passwords are off, an identity provider or a code by e-mail signs people in",
    fix: "declare one in accounts:identityProviders, set accounts:emailCode to on, or remove accounts:password",
    check: ({ environment }: Subject) => noWayIn(environment),
  },
  {
    id: "A20",
    message: "A code by e-mail to sign in with can be sent",
    fix: "set it, or remove accounts:emailCode",
    check: ({ environment, values }: Subject) => unsentCodes(environment, values),
  },
  {
    id: "A21",
    message: "Sign-up is open where something opens accounts: a code by e-mail does not",
    fix: "set accounts:signUp to closed, declare a provider, or remove accounts:password",
    check: ({ environment }: Subject) => noWayToJoin(environment),
  },
]
