type Values = { MAIL_URL?: string | undefined; EMAIL_CODE: boolean }

/** What an environment offers that takes letters, where it can send none. */
export function mailProblems(
  { MAIL_URL, EMAIL_CODE }: Values,
  { verifyEmail, keepMail }: { verifyEmail: boolean; keepMail: boolean },
) {
  if (MAIL_URL !== undefined || keepMail) return []
  return [
    ...(EMAIL_CODE
      ? ["EMAIL_CODE: its letters take MAIL_URL; set that, or EMAIL_CODE to off"]
      : []),
    ...(verifyEmail
      ? ["MAIL_URL: is missing, so no address can be verified; or set VERIFY_EMAIL to false"]
      : []),
  ]
}
