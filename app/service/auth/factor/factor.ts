/**
 * What a session was shown beside a password or a provider: a code of an app, a recovery code, a passkey, or a
 * browser that has shown one before and is trusted.
 */
export const factors = ["totp", "recovery", "passkey", "trusted"] as const

export type Factor = (typeof factors)[number]

/** Recovery codes that a member has at once. */
export const codesAtOnce = 10

/** Of one member: trusting another forgets the oldest. */
export const maxBrowsers = 20
