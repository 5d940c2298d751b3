/** An origin that nobody has: the trial calls from there once, and is to be refused. */
export const strangerOrigin = "https://stranger.invalid"
