import * as z from "zod"

/** What a stack file says of codes by e-mail. */
export const EmailCode = z.enum(["on", "off"]).default("off").meta({
  description:
    "on: a code that is sent to its address opens an account, in the browser that asked for it. Takes mailUrl",
})

type Environment = {
  password?: "on" | "off" | undefined
  emailCode?: "on" | "off" | undefined
  signUp?: string | undefined
  identityProviders?: object | undefined
  mailUrl?: string | undefined
  keepMail?: boolean | undefined
}

type Subject = { environment: Environment; values: object }

function hasProviders({ identityProviders = {} }: Environment) {
  return Object.keys(identityProviders).length > 0
}

/** Nobody could sign in. */
function noWayIn(environment: Environment) {
  const { password, emailCode } = environment
  return password === "off" && emailCode !== "on" && !hasProviders(environment)
    ? [{ path: ["accounts:password"], reason: "is off, so nobody could sign in" }]
    : []
}

/** Nobody could sign up: a code opens no account. */
function noWayToJoin(environment: Environment) {
  const { password, emailCode, signUp } = environment
  const isOpen = password === "off" && emailCode === "on" && signUp !== "closed"
  return isOpen && !hasProviders(environment)
    ? [{ path: ["accounts:signUp"], reason: `is ${signUp}, and nobody can sign up` }]
    : []
}

/** No code could be sent. */
function unsentCodes({ emailCode, mailUrl, keepMail }: Environment, values: object) {
  return emailCode === "on" && !mailUrl && !keepMail && !("accounts:mailUrl" in values)
    ? [{ path: ["accounts:mailUrl"], reason: "is missing, so no code can be sent" }]
    : []
}

/** Rules of stack files about who gets in. */
export const wayRules = [
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
