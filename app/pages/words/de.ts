import { account } from "./de/account.ts"
import { admin } from "./de/admin.ts"
import { outcome } from "./de/outcome.ts"
import type { entry as entryWords, frame as frameWords, Words } from "./en.ts"

const entry: typeof entryWords = {
  signIn: "Anmelden",
  signInWith: (provider) => `Weiter mit ${provider}`,
  or: "oder",
  byPasskey: "Passkey verwenden",
  passkeyCancelled:
    "Es wurde kein Passkey verwendet: Das Fenster wurde geschlossen, oder es hat zu lange gedauert.",
  passkeyExists: "Auf diesem Gerät hast du schon einen Passkey.",
  passkeyFailed:
    "Das ging in diesem Browser nicht. Versuch es noch einmal, oder melde dich anders an.",
  passkeysNeed: "Passkeys brauchen JavaScript und einen Browser, der sie kennt.",
  signInByCode: "Mit einem Einmalcode anmelden",
  byCodeText:
    "Gib deine Adresse ein, dann schicken wir dir einen Einmalcode. Ein Passwort brauchst du dafür nicht.",
  signInCodeText:
    "Wenn diese Adresse ein Konto hat, ist ein Code unterwegs. Er gilt zehn Minuten, in diesem Browser.",
  anotherCode: "Noch einen Code schicken",
  otherWays: "Andere Anmeldemethode",
  secondStep: "Gib deinen Einmalcode ein",
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
    "Du warst angemeldet, aber der Browser hat das Cookie nicht behalten, das sich das merkt. Erlaube Cookies für diese Seite und melde dich noch einmal an.",
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
  proveBySignIn:
    "Dieser Link bestätigt ein Konto, in dem in diesem Browser niemand angemeldet ist. Melde dich dort an, und öffne dann den Link der E-Mail noch einmal.",
  proveLost: "Keines gewählt oder vergessen? Wähle ein neues.",
  verify: "Bestätigen",
  reset: "Neues Passwort wählen",
  resetText: "Andere Geräte werden beim Speichern abgemeldet.",
  forgottenText: "Gib deine Adresse ein, dann schicken wir dir einen Link für ein neues Passwort.",
  sendLink: "Link senden",
}

const frame: typeof frameWords = {
  name: "Name",
  email: "E-Mail-Adresse",
  password: "Passwort",
  newPassword: "Neues Passwort",
  currentPassword: "Bisheriges Passwort",
  passwordHint: "Mindestens 8 Zeichen",
  stay: "Angemeldet bleiben",
  save: "Speichern",
  remove: "Entfernen",
  show: "Zeigen",
  showPassword: "Eingabe zeigen",
  copy: "Kopieren",
  copied: "Kopiert",
  print: "Drucken",
  search: "Suchen",
  more: "Ältere Einträge",
  continue: "Weiter",
  retry: "Noch einmal versuchen",
  lookAgain: "Noch einmal ansehen",
  none: "Hier ist noch nichts.",
  language: "Sprache",
  menu: "Dein Konto",
  adminMenu: "Verwaltung",
  skip: "Zum Inhalt",
  links: { terms: "Nutzungsbedingungen", privacy: "Datenschutz", support: "Hilfe" },
  notHere: "Diese Seite gibt es nicht",
  firstOwner: "Auf diesem Rechner wirst du erster Inhaber durch:",
  fromElsewhere: "Wolltest du hierher?",
  fromElsewhereText:
    "Was Admins ansehen, wird protokolliert, und nichts hier hat dich auf diese Seite geführt. Geh nur weiter, wenn du sie selbst geöffnet hast.",
  refusedForm: "Dieses Formular kam nicht von dieser Seite",
  refusedFormText: "Es wurde nichts geändert. Öffne die Seite neu und wiederhole es.",
  down: "Wir können gerade nicht antworten",
  downText: "Nichts ist verloren, und du bist nicht abgemeldet. Versuche es gleich noch einmal.",
  local: "Lokal",
  localLinks: { mail: "E-Mails", payment: "Zahlungen", openid: "Anbieter", docs: "API" },
}

export const de: Words = { ...frame, ...entry, ...account, ...admin, ...outcome }
