import * as z from "zod"

/** Stands for better-auth's own thirty-five: `provider/` is this service's only way to one. */
export const socialProviders = {}

/** Part of the input of two disabled paths. */
export const SocialProviderListEnum = z.string()
