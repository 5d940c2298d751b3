import { type MailSender, sendMail } from "../mail/mail.ts"
import { isSmokeAddress } from "./smoke.ts"

type Recipient = { user: { email: string; name: string } }

type Link = Recipient & { url: string; token: string }

type Options = {
  sender: MailSender
  /** Origin of the API, where an address is verified. */
  url: string
  /** Origin of the web front end, where every link ends. */
  webUrl: string
}

/** What the authentication library writes to people, as its options. */
export function createLetters({ sender, url: apiUrl, webUrl }: Options) {
  const send = async ({ user }: Recipient, subject: string, lines: string[]) => {
    if (isSmokeAddress(user.email)) return
    await sendMail(sender, {
      to: user.email,
      subject,
      text: [`Hello ${user.name},`, ...lines].join("\n\n"),
    })
  }

  return {
    verification: {
      sendVerificationEmail: ({ user, url, token }: Link) => {
        const callback = new URL(url).searchParams.get("callbackURL")
        const query = new URLSearchParams({
          token,
          // The library's default is the API's own root, where there is nothing to see.
          callbackURL: callback === null || callback === "/" ? webUrl : callback,
        })
        return send({ user }, "Verify your e-mail address", [
          "please confirm that this address is yours:",
          `${apiUrl}/api/auth/verify-email?${query.toString()}`,
          "The link works for a day. If you did not sign up, ignore this mail.",
        ])
      },
    },
    password: {
      sendResetPassword: ({ user, url, token }: Link) => {
        const callback = new URL(url).searchParams.get("callbackURL")
        const direct = `${webUrl}/reset-password?${new URLSearchParams({ token }).toString()}`
        return send({ user }, "Reset your password", [
          "choose a new password here:",
          callback === null || callback === "" ? direct : url,
          "The link works once and for an hour. If you did not ask for it, ignore this mail.",
        ])
      },
      onExistingUserSignUp: ({ user }: Recipient) =>
        send({ user }, "You already have an account", [
          "someone, perhaps you, tried to sign up with this address, which has an account already.",
          `Sign in at ${webUrl}, or reset your password there if you forgot it.`,
        ]),
    },
  }
}
