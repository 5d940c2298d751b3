import type { entry as words } from "../en/entry.ts"

export const entry: typeof words = {
  signIn: "Anmelden",
  signInWith: (provider) => `Weiter mit ${provider}`,
  or: "oder",
  byPasskey: "Passkey verwenden",
  passkeyCancelled:
    "Es wurde kein Passkey verwendet: Das Fenster wurde geschlossen, oder es hat zu lange gedauert.",
  passkeyExists: "Auf diesem Gerät hast du schon einen Passkey.",
  passkeyFailed:
    "Das ging in diesem Browser nicht. Versuch es noch einmal, oder nimm einen anderen Weg.",
  passkeysNeed: "Passkeys brauchen JavaScript und einen Browser, der sie kennt.",
  signInByCode: "Mit einem Code anmelden",
  byCodeText:
    "Sag uns deine Adresse, und wir schicken dir einen Code. Ein Passwort brauchst du dafür nicht.",
  signInCodeText:
    "Wenn diese Adresse ein Konto hat, ist ein Code unterwegs. Er gilt zehn Minuten, in diesem Browser.",
  anotherCode: "Noch einen Code schicken",
  otherWays: "Anders anmelden",
  secondStep: "Noch ein Code",
  secondStepText: "Gib den Code ein, den deine App zeigt.",
  appCode: "Code aus der App",
  recoveryCode: "Wiederherstellungscode",
  noApp: "Du hast die App nicht zur Hand?",
  trustBrowser: "In diesem Browser 30 Tage nach keinem Code fragen",
  forgotten: "Passwort vergessen?",
  newHere: "Neu hier?",
  known: "Schon Mitglied?",
  signUp: "Konto anlegen",
  invitedText: "Du bist eingeladen: Nimm die Adresse, die die E-Mail bekommen hat.",
  signOut: "Abmelden",
  signOutAsk: "Möchtest du dich auf diesem Gerät abmelden?",
  signedInAs: (name) => `Angemeldet als ${name}`,
  noCookies: "Dein Browser hat das Cookie abgelehnt",
  noCookiesText:
    "Das Passwort stimmte, aber der Browser hat das Cookie nicht behalten, das es sich merkt. Erlaube Cookies für diese Seite und melde dich noch einmal an.",
  sent: "Sieh in deine E-Mails",
  sentText:
    "Wenn diese Adresse genutzt werden kann, ist eine E-Mail unterwegs. Ihr Link gilt 24 Stunden. Diese Seite kannst du schließen.",
  sendAgain: "E-Mail noch einmal senden",
  verified: "Deine Adresse ist bestätigt",
  verifiedText: "Danke. Du kannst dich jetzt anmelden.",
  newLink: "Ein neuer Link",
  badLinkText:
    "Ein Link gilt einmal, und nicht mehr, wenn er alt, beschädigt oder durch einen neueren ersetzt ist. Wir können dir noch eine E-Mail senden.",
  prove: "Noch ein Schritt",
  proveText:
    "Du hast dich nicht in diesem Browser registriert, darum fragen wir nach dem Passwort, das du gewählt hast.",
  proveLost: "Keines gewählt oder vergessen? Wähle ein neues.",
  verify: "Bestätigen",
  reset: "Neues Passwort wählen",
  resetText: "Andere Geräte werden beim Speichern abgemeldet.",
  forgottenText: "Nenne uns deine Adresse, dann senden wir dir einen Link für ein neues Passwort.",
  sendLink: "Link senden",
}
