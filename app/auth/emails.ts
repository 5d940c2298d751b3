import { type MailSender, sendMail } from "../mail/mail.ts"
import { isSmokeAddress } from "./smoke.ts"

type Recipient = { user: { email: string; name: string } }

type Link = Recipient & { url: string; token: string }

type Options = {
  sender: MailSender
  /** Origin of the API, which handles verification links. */
  url: string
  /** Origin of the web front end, to which every link leads in the end. */
  webUrl: string
}

/** The e-mails of the authentication library, as its options. */
export function createEmails({ sender, url: apiUrl, webUrl }: Options) {
  const send = async ({ user }: Recipient, subject: string, paragraphs: string[]) => {
    if (isSmokeAddress(user.email)) return
    await sendMail(sender, {
      to: user.email,
      subject,
      text: [`Hello ${user.name},`, ...paragraphs].join("\n\n"),
    })
  }

  return {
    verification: {
      sendVerificationEmail: ({ user, url, token }: Link) => {
        const callback = new URL(url).searchParams.get("callbackURL")
        const query = new URLSearchParams({
          token,
          // The library defaults to the API's root, which has no page.
          callbackURL: callback === null || callback === "/" ? webUrl : callback,
        })
        return send({ user }, "Verify your e-mail address", [
          "Please confirm that this is your e-mail address:",
          `${apiUrl}/api/auth/verify-email?${query.toString()}`,
          "The link is valid for 24 hours. If you did not sign up, ignore this e-mail.",
        ])
      },
    },
    password: {
      sendResetPassword: ({ user, url, token }: Link) => {
        const callback = new URL(url).searchParams.get("callbackURL")
        const direct = `${webUrl}/reset-password?${new URLSearchParams({ token }).toString()}`
        return send({ user }, "Reset your password", [
          "You can choose a new password here:",
          callback === null || callback === "" ? direct : url,
          "The link works once and is valid for an hour. If you did not ask to reset your password, ignore this e-mail.",
        ])
      },
      onExistingUserSignUp: ({ user }: Recipient) =>
        send({ user }, "You already have an account", [
          "Someone, perhaps you, tried to sign up with this e-mail address, but it already has an account.",
          `You can sign in at ${webUrl}. If you have forgotten your password, you can reset it there.`,
        ]),
    },
  }
}
