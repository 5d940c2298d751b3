import { account } from "./en/account.ts"
import { admin } from "./en/admin.ts"
import { outcome } from "./en/outcome.ts"

/** Sign-in, sign-up, emails and passwords. */
export const entry = {
  signIn: "Sign in",
  signInWith: (provider: string) => `Continue with ${provider}`,
  or: "or",
  byPasskey: "Use a passkey",
  passkeyCancelled: "No passkey was used: the prompt was closed, or it took too long.",
  passkeyExists: "This device has a passkey of yours already.",
  passkeyFailed: "That did not work in this browser. Try again, or sign in by another method.",
  passkeysNeed: "Passkeys need JavaScript, and a browser that has them.",
  signInByCode: "Sign in with a one-time code",
  byCodeText:
    "Enter your address, and we will email you a one-time code. You do not need a password for it.",
  signInCodeText:
    "If this address has an account, a code is on its way to it. It is valid for ten minutes, in this browser.",
  anotherCode: "Send another code",
  otherWays: "Use another sign-in method",
  secondStep: "Enter your one-time code",
  secondStepText: "Enter the code that your app shows.",
  appCode: "Code from the app",
  recoveryCode: "Recovery code",
  noApp: "No access to your app?",
  trustBrowser: "Do not ask for a code in this browser for 30 days",
  forgotten: "Forgot your password?",
  newHere: "New here?",
  known: "Already a member?",
  signUp: "Create an account",
  invitedText: "You have been invited: sign up with the address that got the email.",
  signOut: "Sign out",
  signOutAsk: "Do you want to sign out on this device?",
  signedInAs: (name: string) => `Signed in as ${name}`,
  noCookies: "Your browser has refused the cookie",
  noCookiesText:
    "You were signed in, but the browser did not keep the cookie that remembers it. Allow cookies for this site and sign in again.",
  sent: "Check your email",
  sentText:
    "If this address can be used, an email is on its way. Its link is valid for 24 hours. You may close this page.",
  sendAgain: "Send the email again",
  verified: "Your address is verified",
  verifiedText: "Thank you. You can sign in now.",
  newLink: "A new link",
  badLinkText:
    "A link works once, and stops working when it is old, damaged or replaced by a newer one. We can send you another email.",
  prove: "One more step",
  proveText: "You did not sign up in this browser, so we ask for the password that you chose.",
  proveBySignIn:
    "This link verifies an account that you are not signed in to in this browser. Sign in to it, and then open the link of the email again.",
  proveLost: "Did you choose none, or forget it? Choose a new one.",
  verify: "Verify",
  reset: "Choose a new password",
  resetText: "Other devices are signed out when you save it.",
  forgottenText: "Enter your address, and we will email you a link to choose a new password.",
  sendLink: "Send the link",
}

/** Texts of the frame around every page, and texts that several pages share. */
export const frame = {
  // Labels of fields and buttons.
  name: "Name",
  email: "Email address",
  password: "Password",
  newPassword: "New password",
  currentPassword: "Current password",
  passwordHint: "At least 8 characters",
  stay: "Stay signed in",
  save: "Save",
  remove: "Remove",
  show: "Show",
  showPassword: "Show what I type",
  copy: "Copy",
  copied: "Copied",
  print: "Print",
  search: "Search",
  more: "Older entries",
  continue: "Continue",
  retry: "Try again",
  lookAgain: "Look again",
  none: "There is nothing here yet.",
  language: "Language",
  menu: "Your account",
  adminMenu: "Administration",
  skip: "Skip to the content",
  links: { terms: "Terms", privacy: "Privacy", support: "Help" },
  notHere: "There is no such page",
  firstOwner: "On this machine you become the first owner by:",
  fromElsewhere: "Did you mean to come here?",
  fromElsewhereText:
    "What admins look at is recorded, and nothing here led you to this page. Go on only if you opened it yourself.",
  refusedForm: "This form was not sent from this site",
  refusedFormText: "Nothing has been changed. Open the page again and repeat what you did.",
  down: "We cannot answer just now",
  downText: "Nothing is lost, and you are not signed out. Try again in a moment.",
  local: "Local",
  localLinks: { mail: "emails", payment: "payments", openid: "provider", docs: "API" },
}

/** Every text of the pages, by its part. A word that another language lacks does not compile. */
export const en = { ...frame, ...entry, ...account, ...admin, ...outcome }

export type Words = typeof en
