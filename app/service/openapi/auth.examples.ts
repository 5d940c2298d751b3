import { ada } from "../user/user.examples.ts"
import type { Examples } from "./examples.ts"

const { email, name, image } = ada
const password = "correct horse battery staple"
const callbackURL = "https://app.example.com/welcome"
const instants = { createdAt: "2026-11-21T19:40:00.000Z", updatedAt: "2026-11-21T19:40:00.000Z" }

const user = { ...ada, plan: "free", planUntil: null, updatedAt: ada.createdAt }

const session = {
  id: "session_pe34s3jg42gqdje02xf65bdw",
  userId: user.id,
  token: "Zk3vQ0tYbM8sWnX5rLcD1fGhJ7pAeU2i",
  ipAddress: "203.0.113.7",
  userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
  expiresAt: "2026-11-28T19:40:00.000Z",
  remembered: true,
  factor: null,
  provenAt: "2026-11-21T19:40:00.000Z",
  name: null,
  ...instants,
}

const { token } = session
const status = { status: true }
const newPassword = "seven quiet mountain lakes"
const resetToken = "Vb6nHq2XwT9cKe4sRf0uJgLd"
const verificationToken = "eyJhbGciOiJIUzI1NiJ9.eyJlbWFpbCI6ImFkYUBleGFtcGxlLmNvbSJ9.c2lnbmF0dXJl"
const passwordPage = "https://app.example.com/new-password"

const credential = {
  id: "Gm0yQx3nRk6Wc1tVq8ZbLw",
  rawId: "Gm0yQx3nRk6Wc1tVq8ZbLw",
  type: "public-key",
}
const clientDataJSON = "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoiWTJodiJ9"

export const authExamples: Examples = {
  signUpEmail: {
    body: { name, email, password, image },
    answer: { token, user: { ...user, emailVerified: false } },
  },
  signInEmail: {
    body: { email, password, rememberMe: true },
    answer: { redirect: false, token, user },
  },
  signInCodeBegin: { body: { email }, answer: { sent: true } },
  signInCode: { body: { code: "04719382", rememberMe: true }, answer: { token, user } },
  signInWithProvider: {
    parameters: {
      provider: "idp",
      callbackURL,
      errorCallbackURL: "https://app.example.com/sign-in",
      newUserCallbackURL: "https://app.example.com/tour",
      prompt: "select_account",
      loginHint: email,
    },
    answer:
      "https://idp.example.com/authorize?response_type=code&client_id=accounts&scope=openid+email+profile&state=pW7kR3yH9dJ5gF2a",
  },
  returnFromProvider: {
    parameters: {
      provider: "idp",
      code: "qT4mN8vB1xZ6cL0s",
      state: "pW7kR3yH9dJ5gF2a",
      iss: "https://idp.example.com",
      error: "access_denied",
    },
    answer: callbackURL,
  },
  postFromProvider: {
    parameters: { provider: "idp" },
    body: {
      code: "qT4mN8vB1xZ6cL0s",
      state: "pW7kR3yH9dJ5gF2a",
      iss: "https://idp.example.com",
      error: "user_cancelled_authorize",
      user: '{"name":{"firstName":"Ada","lastName":"Lovelace"}}',
    },
    answer: "/api/auth/callback/idp?code=qT4mN8vB1xZ6cL0s&state=pW7kR3yH9dJ5gF2a",
  },
  getSession: { answer: { session, user } },
  signOut: { answer: { success: true } },
  listSessions: { answer: [{ ...session, device: { browser: "Firefox", system: "Linux" } }] },
  revokeOtherSessions: { answer: status },
  revokeSessions: { answer: status },
  revokeSession: { body: { token }, answer: status },
  setPassword: { body: { newPassword }, answer: status },
  changePassword: {
    body: {
      currentPassword: password,
      newPassword,
      revokeOtherSessions: true,
    },
    answer: { token, user },
  },
  listAccounts: {
    answer: [
      {
        id: "account_d5sm4qhtq2ycgzw2gnfs3vke",
        userId: user.id,
        providerId: "google",
        accountId: "110169484474386276334",
        scopes: ["openid", "email", "profile"],
        ...instants,
      },
    ],
  },
  linkIdentity: {
    body: { provider: "google", callbackURL },
    answer: { url: "https://accounts.google.com/o/oauth2/v2/auth?client_id=…", redirect: true },
  },
  unlinkAccount: { body: { providerId: "google" }, answer: status },
  stepUp: { body: { password }, answer: { provenAt: "2026-11-21T19:42:00.000Z" } },
  signInSecondFactor: {
    body: { code: "492039", trustBrowser: true },
    answer: { token, url: callbackURL, user },
  },
  passkeyBegin: {
    body: { for: "sign-in" },
    answer: {
      get: {
        challenge: "pK3vQ0tYbM8sWnX5rLcD1fGhJ7pAeU2iZk3vQ0tYbM8",
        rpId: "example.com",
        timeout: 300_000,
        userVerification: "required",
      },
    },
  },
  signInPasskey: {
    body: {
      passkey: {
        ...credential,
        response: {
          clientDataJSON,
          authenticatorData: "o3mm9u6vuaVeN4wRgDTidR5oL6ufLTCrE9ISVYbOGUcFAAAAAQ",
          signature: "MEUCIQDF7ye5cXIm2SR2vG8E4oK7yZp8Yx0A",
          userHandle: "dXNlcl8wMWh6eTN2OHcyazU",
        },
      },
    },
    answer: { token, user },
  },
  passkeyAdd: {
    body: {
      passkey: {
        ...credential,
        response: {
          clientDataJSON,
          attestationObject: "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVg",
          transports: ["internal", "hybrid"],
        },
      },
      name: "Ada's telephone",
    },
    answer: {
      id: "passkey_01hzy3v8w2k5",
      name: "Ada's telephone",
      createdAt: instants.createdAt,
    },
  },
  deleteUser: { body: { password }, answer: { success: true, message: "User deleted" } },
  sendVerificationEmail: { body: { email }, answer: status },
  verifyEmail: {
    parameters: { token: verificationToken, callbackURL },
    answer: callbackURL,
  },
  verifyEmailWithPassword: {
    body: { token: verificationToken, password },
    answer: { ...status, email },
  },
  requestPasswordReset: {
    body: { email },
    answer: {
      ...status,
      message: "If this email exists in our system, check your email for the reset link",
    },
  },
  openPasswordReset: {
    parameters: { token: resetToken, callbackURL: passwordPage },
    answer: `${passwordPage}?token=${resetToken}`,
  },
  resetPassword: {
    body: { newPassword, token: resetToken },
    answer: status,
  },
}
