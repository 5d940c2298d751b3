import type { LetterWords } from "./en.ts"

export const de: LetterWords = {
  locale: "de-DE",
  unknownBrowser: "einem unbekannten Browser",
  occasion: (time, browser, system) =>
    `am ${time}, mit ${browser}${system === null ? "" : ` unter ${system}`}`,
  happened: (occasion) => `Das geschah ${occasion}.`,
  happenedAt: (time) => `Das geschah am ${time}.`,
  hello: "Hallo,",
  password: "dem Passwort",
  verification: (link) => [
    "Bestätige deine E-Mail-Adresse",
    "Bitte bestätige, dass das deine E-Mail-Adresse ist:",
    link,
    "Der Link gilt 24 Stunden. In einem anderen Browser als dem, in dem du dich registriert hast, fragt er nach deinem Passwort. Wenn du dich nicht registriert hast, ignoriere diese E-Mail.",
  ],
  reset: (link) => [
    "Wähle ein neues Passwort",
    "Hier kannst du ein neues Passwort wählen:",
    link,
    "Der Link gilt eine Stunde und nur einmal. Wenn du kein neues Passwort wolltest, ignoriere diese E-Mail.",
  ],
  addressCode: (code) => [
    "Bestätige deine neue E-Mail-Adresse",
    "Gib diesen Code dort ein, wo du ihn angefordert hast:",
    code,
    "Er gilt zehn Minuten und nur in jenem Browser. Wenn du ihn nicht wolltest, ignoriere diese E-Mail und gib den Code niemandem.",
  ],
  signInCode: (code, occasion) => [
    "Dein Code zum Anmelden",
    "Gib diesen Code dort ein, wo du ihn angefordert hast:",
    code,
    `Er wurde ${occasion} angefordert. Er gilt zehn Minuten, nur einmal und nur in jenem Browser. Wenn du das nicht warst, ignoriere diese E-Mail und gib den Code niemandem: Wer dir hilft, braucht ihn nicht.`,
  ],
  stepUpCode: (code, occasion) => [
    "Dein Code, um zu zeigen, dass du es bist",
    "Gib diesen Code dort ein, wo du ihn angefordert hast:",
    code,
    `Er wurde ${occasion} angefordert. Er gilt zehn Minuten, nur einmal und nur in jenem Browser. Wenn du das nicht warst, ist jemand anderes in deinem Konto angemeldet: Beende alle Sitzungen. Gib den Code niemandem.`,
  ],
  invitation: (link) => [
    "Du bist eingeladen",
    "Mit dieser E-Mail-Adresse kannst du ein Konto eröffnen:",
    link,
    "Der Link gilt sieben Tage, nur einmal und nur für diese Adresse. Wenn du nichts davon weißt, ignoriere diese E-Mail.",
  ],
  existing: (site) => [
    "Du hast schon ein Konto",
    "Jemand, vielleicht du, wollte mit dieser E-Mail-Adresse ein Konto eröffnen oder sie einem anderen geben, aber sie hat schon ein Konto.",
    `Du kannst dich auf ${site} anmelden. Wenn du dein Passwort vergessen hast, kannst du dort ein neues wählen.`,
  ],
  reasons: {
    abuse: "es gegen die Regeln verwendet wurde",
    security: "vielleicht jemand anders darin war",
    payment: "es um eine Zahlung geht",
    request: "jemand, der das darf, darum gebeten hat",
    other: "ein Admin es musste",
  },
  roles: { member: "Mitglied", admin: "Admin", owner: "Inhaber" },
  notices: {
    link_identity: (way, site) => [
      "Ein neuer Weg, dich anzumelden",
      `Von jetzt an öffnet auch die Anmeldung mit ${way} dein Konto.`,
      `Wenn du das nicht warst, entferne sie auf ${site} und wähle dort ein neues Passwort.`,
    ],
    unlink_identity: (way, site) => [
      "Ein Weg, dich anzumelden, wurde entfernt",
      `Die Anmeldung mit ${way} öffnet dein Konto nicht mehr, und jede andere Sitzung ist beendet.`,
      `Wenn du das nicht warst, wähle auf ${site} ein neues Passwort.`,
    ],
    passkey_added: (_, site) => [
      "Dein Konto hat einen neuen Passkey",
      "Von jetzt an öffnet er dein Konto allein.",
      `Wenn du das nicht warst, entferne ihn auf ${site} und wähle dort ein neues Passwort.`,
    ],
    passkey_removed: (_, site) => [
      "Ein Passkey deines Kontos wurde entfernt",
      "Er öffnet dein Konto nicht mehr, und jede andere Sitzung ist beendet.",
      `Wenn du das nicht warst, wähle auf ${site} ein neues Passwort.`,
    ],
    second_factor_on: (_, site) => [
      "Dein Konto fragt jetzt nach einem zweiten Faktor",
      "Von jetzt an fragt jede Anmeldung nach einem Code der App, die eingerichtet wurde, oder nach einem Wiederherstellungscode. Jede andere Sitzung ist beendet.",
      `Wenn du das nicht warst, ist jemand anders in deinem Konto angemeldet. Sag es sofort den Betreibern von ${site}.`,
    ],
    second_factor_off: (_, site) => [
      "Der zweite Faktor deines Kontos wurde ausgeschaltet",
      "Ein Passwort oder ein anderer Anmeldeweg öffnet dein Konto wieder allein, und jede andere Sitzung ist beendet.",
      `Wenn du das nicht warst, wähle auf ${site} ein neues Passwort und schalte den zweiten Faktor wieder ein.`,
    ],
    second_factor_locked: (_, site) => [
      "Jemand versucht, den Code deines Kontos zu erraten",
      "Jemand, der dein Passwort kennt oder dein Konto auf anderem Weg öffnet, hat viele falsche Codes eingegeben. Einen Tag lang wird von dort kein Code einer App mehr angenommen. Niemand ist hineingekommen.",
      `Wenn du das nicht warst, wähle auf ${site} ein neues Passwort.`,
    ],
    recovery_code_used: (_, site) => [
      "Ein Wiederherstellungscode deines Kontos wurde verwendet",
      "Er gilt nicht mehr.",
      `Wenn du das nicht warst, wähle auf ${site} ein neues Passwort und erzeuge dort neue Wiederherstellungscodes.`,
    ],
    recovery_codes_renewed: (_, site) => [
      "Dein Konto hat neue Wiederherstellungscodes",
      "Die bisherigen gelten nicht mehr.",
      `Wenn du das nicht warst, ist jemand anders in deinem Konto angemeldet. Wähle auf ${site} ein neues Passwort.`,
    ],
    change_password: (_, site) => [
      "Dein Passwort wurde geändert",
      "Jemand, der das Passwort deines Kontos kannte, hat ein neues gesetzt.",
      `Wenn du das nicht warst, wähle auf ${site} ein neues Passwort.`,
    ],
    set_password: (_, site) => [
      "Dein Konto hat jetzt ein Passwort",
      "Von jetzt an öffnet auch ein Passwort dein Konto.",
      `Wenn du das nicht warst, ist jemand anders in deinem Konto angemeldet. Wähle auf ${site} ein neues Passwort.`,
    ],
    change_email: (_, site) => [
      "Die E-Mail-Adresse deines Kontos wurde geändert",
      `Dein Konto auf ${site} hat jetzt eine andere E-Mail-Adresse, und diese gehört nicht mehr dazu: Keine E-Mail davon kommt mehr hierher, und jede andere Sitzung ist beendet.`,
      "Wenn du das nicht warst, sag es sofort den Betreibern. Nichts in dieser E-Mail nimmt die Änderung zurück, denn vielleicht liest inzwischen jemand anders dieses Postfach.",
    ],
    reset_password: (_, site) => [
      "Du hast ein neues Passwort",
      "Dein Konto hat über den Link einer E-Mail ein neues Passwort bekommen, und jede Sitzung ist beendet.",
      `Wenn du das nicht warst, liest jemand deine E-Mails. Wähle auf ${site} ein neues Passwort.`,
    ],
    change_role: (role, site) => [
      "Deine Rolle wurde geändert",
      `Die Rolle deines Kontos ist jetzt ${role}.`,
      `Du kannst dich auf ${site} anmelden.`,
    ],
    suspend: (reason, site) => [
      "Dein Konto wurde gesperrt",
      `Dein Konto auf ${site} wurde gesperrt, weil ${reason}. Jede Sitzung ist beendet, und niemand kann sich anmelden. Nichts davon ist gelöscht.`,
      "Wenn du das für einen Irrtum hältst, wende dich an die Betreiber.",
    ],
    unsuspend: (_, site) => [
      "Dein Konto ist wieder offen",
      `Du kannst dich auf ${site} wieder anmelden.`,
    ],
    schedule_deletion: (reason, site) => [
      "Dein Konto wird gelöscht",
      `Dein Konto auf ${site} wird sieben Tage nach dieser E-Mail mit allen Daten gelöscht, weil ${reason}. Bis dahin ist es gesperrt: Jede Sitzung ist beendet, und niemand kann sich anmelden.`,
      "Wenn du das für einen Irrtum hältst, wende dich an die Betreiber, bevor es gelöscht ist: Niemand kann es zurückholen.",
    ],
    cancel_deletion: (_, site) => [
      "Dein Konto wird nicht gelöscht",
      `Die Löschung deines Kontos auf ${site} wurde zurückgenommen. Es ist noch gesperrt, bis die Betreiber dich wieder hineinlassen.`,
    ],
    delete_account: (_, site) => [
      "Dein Konto wurde gelöscht",
      `Dein Konto auf ${site} wurde mit allen Daten gelöscht, wie wir dir vor sieben Tagen geschrieben haben. Niemand kann es zurückholen.`,
    ],
    end_sessions: (_, site) => [
      "Du wurdest abgemeldet",
      `Ein Admin hat Sitzungen deines Kontos beendet. Du kannst dich auf ${site} wieder anmelden.`,
    ],
    recover_account: (_, site) => [
      "Dein Konto gehört wieder dieser Adresse",
      `Die Betreiber von ${site} haben das getan. Jede Sitzung ist beendet, und Passwörter, Identitäten, Passkeys und Apps sind entfernt, wer immer sie hinzugefügt hat. Setze ein neues Passwort, oder melde dich mit einem Code oder über einen Anbieter an, wo es das gibt.`,
      "Wenn du nicht darum gebeten hast, melde dich bei ihnen.",
    ],
    reset_second_factor: (_, site) => [
      "Der zweite Faktor deines Kontos wurde entfernt",
      `Die Betreiber von ${site} haben das getan, und jede Sitzung ist beendet. Ein Passwort oder ein anderer Weg öffnet dein Konto wieder allein.`,
      "Wenn du nicht darum gebeten hast, setze dein Passwort zurück und schalte den zweiten Faktor wieder ein.",
    ],
  },
}
