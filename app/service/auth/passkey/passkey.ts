/** Of COSE: ES256, EdDSA and RS256, of which every authenticator has one. */
export const algorithms = [-7, -8, -257]

/** Of one member. */
export const maxPasskeys = 20
