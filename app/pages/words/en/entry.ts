/** Sign-in, sign-up, letters and passwords. */
export const entry = {
  signIn: "Sign in",
  signInWith: (provider: string) => `Continue with ${provider}`,
  or: "or",
  forgotten: "Forgotten your password?",
  newHere: "New here?",
  known: "Already a member?",
  signUp: "Create an account",
  invitedText: "You have been invited: sign up with the address that got the letter.",
  signOut: "Sign out",
  signOutAsk: "Do you want to sign out on this device?",
  signedInAs: (name: string) => `Signed in as ${name}`,
  noCookies: "Your browser has refused the cookie",
  noCookiesText:
    "Your password was right, but the browser did not keep the cookie that remembers it. Allow cookies for this site and sign in again.",
  sent: "Look into your mailbox",
  sentText:
    "If this address can be used, a letter is on its way. Its link is valid for 24 hours. You may close this page.",
  sendAgain: "Send the letter again",
  verified: "Your address is verified",
  verifiedText: "Thank you. You can sign in now.",
  badLink: "This link no longer works",
  badLinkText:
    "It is too old, damaged, or a newer one took its place. We can send you another letter.",
  prove: "One more step",
  proveText: "You did not sign up in this browser, so we ask for the password that you chose.",
  proveLost: "You chose none, or have forgotten it? Choose a new one.",
  verify: "Verify",
  reset: "Choose a new password",
  resetText: "Other devices are signed out when you save it.",
  forgottenText: "Tell us your address, and we send you a link for a new password.",
  sendLink: "Send the link",
}
