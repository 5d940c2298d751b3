import type { Examples } from "../openapi/examples.ts"
import { ada } from "../user/user.examples.ts"
import { passkey } from "./passkey/passkey.examples.ts"

const newEmail = "ada.lovelace@example.com"
const createdAt = "2026-11-02T08:15:30.000Z"

export const accountExamples: Examples = {
  changeEmail: { body: { newEmail }, answer: { sent: true } },
  confirmEmail: { body: { newEmail, code: "04719382" }, answer: { ...ada, email: newEmail } },
  renameSession: {
    body: { sessionId: "session_pe34s3jg42gqdje02xf65bdw", name: "Laptop" },
    answer: { id: "session_pe34s3jg42gqdje02xf65bdw", name: "Laptop" },
  },
  listWays: {
    answer: {
      password: true,
      emailCode: false,
      providers: [{ providerId: "idp", accountId: "248289761001", createdAt }],
      passkeys: [passkey],
      secondFactor: { since: createdAt, totp: true, recoveryCodes: 9 },
      trustedBrowsers: [
        {
          id: "pK3vQ0tYbM8sWnX5rLcD1fGhJ7pAeU2iZk3vQ0tYbM8",
          userAgent: "Mozilla/5.0 Firefox/145.0",
          createdAt,
          expiresAt: "2026-12-02T08:15:30.000Z",
        },
      ],
    },
  },
}
