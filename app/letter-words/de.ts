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
    "Er gilt zehn Minuten und nur in jenem Browser. Wenn du ihn nicht wolltest, ignoriere diese E-Mail und gib den Code nicht weiter.",
  ],
  signInCode: (code, occasion) => [
    "Dein Code zum Anmelden",
    "Gib diesen Code dort ein, wo du ihn angefordert hast:",
    code,
    `Er wurde ${occasion} angefordert. Er gilt zehn Minuten, nur einmal und nur in jenem Browser. Wenn du das nicht warst, ignoriere diese E-Mail. Gib den Code nicht weiter: Wer dir hilft, braucht ihn nicht.`,
  ],
  stepUpCode: (code, occasion) => [
    "Dein Code, um zu zeigen, dass du es bist",
    "Gib diesen Code dort ein, wo du ihn angefordert hast:",
    code,
    `Er wurde ${occasion} angefordert. Er gilt zehn Minuten, nur einmal und nur in jenem Browser. Wenn du das nicht warst, ist jemand anderes in deinem Konto angemeldet: Melde dich überall sonst ab und ändere dein Passwort. Gib den Code nicht weiter.`,
  ],
  invitation: (link) => [
    "Du bist eingeladen",
    "Mit dieser E-Mail-Adresse kannst du ein Konto anlegen:",
    link,
    "Der Link gilt sieben Tage, nur einmal und nur für diese Adresse. Wenn du nichts davon weißt, ignoriere diese E-Mail.",
  ],
  existing: (site) => [
    "Du hast schon ein Konto",
    "Jemand, vielleicht du, wollte mit dieser E-Mail-Adresse ein Konto anlegen oder ein anderes Konto auf sie umstellen, aber sie hat schon eines.",
    `Du kannst dich auf ${site} anmelden. Wenn du dein Passwort vergessen hast, kannst du dort ein neues wählen.`,
  ],
  reasons: {
    abuse: "es gegen die Regeln verwendet wurde",
    security: "vielleicht jemand anderes darin war",
    payment: "es um eine Zahlung geht",
    request: "jemand, der das darf, darum gebeten hat",
    other: "ein Admin es musste",
  },
  roles: { member: "Mitglied", admin: "Admin", owner: "Inhaber" },
  notices: {
    link_identity: (way, site) => [
      "Dein Konto hat eine neue Anmeldemethode",
      `Von jetzt an öffnet auch die Anmeldung mit ${way} dein Konto.`,
      `Wenn du das nicht warst, entferne sie auf ${site} und wähle dort ein neues Passwort.`,
    ],
    unlink_identity: (way, site) => [
      "Eine Anmeldemethode deines Kontos wurde entfernt",
      `Die Anmeldung mit ${way} öffnet dein Konto nicht mehr, und jedes andere Gerät ist abgemeldet.`,
      `Wenn du das nicht warst, wähle auf ${site} ein neues Passwort.`,
    ],
    passkey_added: (_, site) => [
      "Dein Konto hat einen neuen Passkey",
      "Von jetzt an genügt er, um dich anzumelden.",
      `Wenn du das nicht warst, entferne ihn auf ${site} und wähle dort ein neues Passwort.`,
    ],
    passkey_removed: (_, site) => [
      "Ein Passkey deines Kontos wurde entfernt",
      "Er öffnet dein Konto nicht mehr, und jedes andere Gerät ist abgemeldet.",
      `Wenn du das nicht warst, wähle auf ${site} ein neues Passwort.`,
    ],
    second_factor_on: (_, site) => [
      "Dein Konto fragt jetzt nach einem zweiten Faktor",
      "Von jetzt an fragt jede Anmeldung nach einem Code aus der App, die eingerichtet wurde, oder nach einem Wiederherstellungscode. Jedes andere Gerät ist abgemeldet.",
      `Wenn du das nicht warst, ist jemand anderes in deinem Konto angemeldet. Sag es sofort den Betreibern von ${site}.`,
    ],
    second_factor_off: (_, site) => [
      "Der zweite Faktor deines Kontos wurde ausgeschaltet",
      "Dein Passwort oder eine andere Anmeldemethode genügt wieder, und jedes andere Gerät ist abgemeldet.",
      `Wenn du das nicht warst, wähle auf ${site} ein neues Passwort und schalte den zweiten Faktor wieder ein.`,
    ],
    second_factor_locked: (_, site) => [
      "Jemand versucht, den Code deines Kontos zu erraten",
      "Jemand, der dein Passwort kennt oder eine andere deiner Anmeldemethoden hat, hat viele falsche Codes eingegeben. Einen Tag lang wird von dort kein Code einer App mehr angenommen. Niemand ist hineingekommen.",
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
      `Wenn du das nicht warst, ist jemand anderes in deinem Konto angemeldet. Wähle auf ${site} ein neues Passwort.`,
    ],
    change_password: (_, site) => [
      "Dein Passwort wurde geändert",
      "Dein Konto hat ein neues Passwort. Es wurde mit dem bisherigen gesetzt.",
      `Wenn du das nicht warst, wähle auf ${site} ein neues Passwort.`,
    ],
    set_password: (_, site) => [
      "Dein Konto hat jetzt ein Passwort",
      "Von jetzt an kannst du dich auch mit einem Passwort anmelden.",
      `Wenn du das nicht warst, ist jemand anderes in deinem Konto angemeldet. Wähle auf ${site} ein neues Passwort.`,
    ],
    change_email: (_, site) => [
      "Die E-Mail-Adresse deines Kontos wurde geändert",
      `Dein Konto auf ${site} hat jetzt eine andere E-Mail-Adresse, und diese gehört nicht mehr dazu: Hierher kommen keine E-Mails mehr darüber, und jedes andere Gerät ist abgemeldet.`,
      "Wenn du das nicht warst, sag es sofort den Betreibern. Nichts in dieser E-Mail nimmt die Änderung zurück, denn vielleicht liest sie auch jemand anderes.",
    ],
    reset_password: (_, site) => [
      "Du hast ein neues Passwort",
      "Dein Konto hat über den Link einer E-Mail ein neues Passwort bekommen, und jedes Gerät ist abgemeldet.",
      `Wenn du das nicht warst, kann jemand anderes deine E-Mails lesen. Wähle auf ${site} ein neues Passwort.`,
    ],
    change_role: (role, site) => [
      "Deine Rolle wurde geändert",
      `Die Rolle deines Kontos ist jetzt ${role}.`,
      `Du kannst dich auf ${site} anmelden.`,
    ],
    suspend: (reason, site) => [
      "Dein Konto wurde gesperrt",
      `Dein Konto auf ${site} wurde gesperrt, weil ${reason}. Jedes Gerät ist abgemeldet, und niemand kann sich anmelden. Gelöscht ist nichts.`,
      "Wenn du das für einen Irrtum hältst, wende dich an die Betreiber.",
    ],
    unsuspend: (_, site) => [
      "Dein Konto ist wieder offen",
      `Du kannst dich auf ${site} wieder anmelden.`,
    ],
    schedule_deletion: (reason, site) => [
      "Dein Konto wird gelöscht",
      `Dein Konto auf ${site} wird sieben Tage nach dieser E-Mail mit allen Daten gelöscht, weil ${reason}. Bis dahin ist es gesperrt: Jedes Gerät ist abgemeldet, und niemand kann sich anmelden.`,
      "Wenn du das für einen Irrtum hältst, wende dich an die Betreiber, bevor es gelöscht ist: Niemand kann es zurückholen.",
    ],
    cancel_deletion: (_, site) => [
      "Dein Konto wird nicht gelöscht",
      `Die Löschung deines Kontos auf ${site} wurde zurückgenommen. Es bleibt gesperrt, bis die Betreiber es wieder zulassen.`,
    ],
    delete_account: (_, site) => [
      "Dein Konto wurde gelöscht",
      `Dein Konto auf ${site} wurde mit allen Daten gelöscht, wie wir dir vor sieben Tagen geschrieben haben. Niemand kann es zurückholen.`,
    ],
    end_sessions: (_, site) => [
      "Du wurdest abgemeldet",
      `Ein Admin hat dich auf einem oder mehreren Geräten abgemeldet. Du kannst dich auf ${site} wieder anmelden.`,
    ],
    recover_account: (_, site) => [
      "Dein Konto gehört wieder dieser Adresse",
      `Die Betreiber von ${site} haben das getan. Jedes Gerät ist abgemeldet, und Passwörter, Anbieter, Passkeys und Apps sind entfernt, egal wer sie hinzugefügt hat. Setze ein neues Passwort, oder melde dich mit einem Code oder über einen Anbieter an, wo es das gibt.`,
      "Wenn du nicht darum gebeten hast, melde dich bei ihnen.",
    ],
    reset_second_factor: (_, site) => [
      "Der zweite Faktor deines Kontos wurde entfernt",
      `Die Betreiber von ${site} haben das getan, und jedes Gerät ist abgemeldet. Dein Passwort oder eine andere Anmeldemethode genügt wieder.`,
      "Wenn du nicht darum gebeten hast, setze dein Passwort zurück und schalte den zweiten Faktor wieder ein.",
    ],
  },
}
