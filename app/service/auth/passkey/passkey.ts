/** Of one member. */
export const maxPasskeys = 20
