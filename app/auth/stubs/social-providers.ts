import * as z from "zod"

/** Replaces better-auth's 35 providers: this service uses only OpenID Connect, in `provider/`. */
export const socialProviders = {}

/** Two disabled paths use it in their input. */
export const SocialProviderListEnum = z.string()
