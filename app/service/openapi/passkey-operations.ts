import * as z from "zod"

import { failuresOf } from "./error-responses.ts"
import { type AuthOperation, timestamp, User } from "./operation-fields.ts"

const Descriptor = z.object({ type: z.literal("public-key"), id: z.string() })

const asked = { challenge: z.string(), timeout: z.int().describe("Milliseconds") }

const Asked = z.object({
  get: z
    .object({ ...asked, rpId: z.string(), userVerification: z.literal("required") })
    .optional()
    .describe("For PublicKeyCredential.parseRequestOptionsFromJSON"),
  create: z
    .object({
      ...asked,
      rp: z.object({ id: z.string(), name: z.string() }),
      user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
      pubKeyCredParams: z.array(z.object({ type: z.literal("public-key"), alg: z.int() })),
      excludeCredentials: z.array(Descriptor),
      authenticatorSelection: z.object({
        residentKey: z.literal("required"),
        requireResidentKey: z.literal(true),
        userVerification: z.literal("required"),
      }),
      attestation: z.literal("none"),
    })
    .optional()
    .describe("To add one: for PublicKeyCredential.parseCreationOptionsFromJSON"),
})

export const passkeyOperations: AuthOperation[] = [
  {
    path: "/passkey/begin",
    summary: "Ask for what a passkey has to answer",
    description:
      "Give the answer to navigator.credentials, and the toJSON() of what that returns to signInPasskey, stepUp or passkeyAdd, within five minutes, from the same browser. To add one takes a session with a step-up, so that no device makes one that is refused.",
    output: Asked,
    cookie: "The challenge, for this host and five minutes",
    errors: failuresOf(
      "PASSKEYS_OFF",
      "UNAUTHORIZED",
      "SESSION_CHANGED",
      "STEP_UP_REQUIRED",
      "EMAIL_NOT_VERIFIED",
      "TOO_MANY_PASSKEYS",
    ),
  },
  {
    path: "/sign-in/passkey",
    summary: "Sign in with a passkey",
    description:
      "The authenticator verifies its owner each time, so it stands for password and second factor. One code for all that is wrong with it.",
    output: z.object({ token: z.string(), user: User }),
    cookie: "The session",
    errors: failuresOf("PASSKEY_REFUSED", "PASSKEYS_OFF", "ACCOUNT_SUSPENDED"),
  },
  {
    path: "/passkey/add",
    summary: "Add a passkey",
    description:
      "Asks for a step-up, and takes a verified address. At most 20; an authenticator that cannot verify its owner is refused.",
    output: z.object({ id: z.string(), name: z.string(), createdAt: timestamp }),
    signedIn: true,
    errors: failuresOf(
      "PASSKEY_REFUSED",
      "PASSKEYS_OFF",
      "STEP_UP_REQUIRED",
      "EMAIL_NOT_VERIFIED",
      "TOO_MANY_PASSKEYS",
    ),
  },
]
