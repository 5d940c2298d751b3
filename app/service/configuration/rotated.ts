import { sessionLifetime } from "../auth/cookie/browser-cookies.ts"

/** Secrets that `./accounts secret rotate` replaces, while the former value is needed beside them. */
export const rotated = {
  AUTH_SECRET: {
    key: "authSecretFrom",
    lasts: sessionLifetime,
    does: "signs",
    keeps: "sessions signed by the former value stay valid",
    loses: "SIGNS EVERYBODY OUT",
  },
  /** The hourly run seals anew for a day what the former value has sealed. */
  FACTOR_SECRET: {
    key: "factorSecretFrom",
    lasts: 24 * 60 * 60,
    does: "seals",
    keeps: "apps sealed by the former value are read, and sealed anew",
    loses: "MAKES EVERY AUTHENTICATOR APP USELESS",
  },
}
