import type * as z from "zod"

/** What the tools read of an identity provider. */
type Provider = {
  clientId: string
  preset?: string | undefined
  issuer?: string | undefined
  url?: string | undefined
  scopes?: string[] | undefined
  emailDomains?: string[] | undefined
  trustUnverifiedEmails?: true | undefined
}

/** What the tools read of the tokens for other services. */
type Tokens = { audiences: string[]; minutes: number }

/** Values of `accounts:identityProviders` and of `accounts:tokens`, and email addresses, which the Worker parses, too. */
export type KeySchemas = {
  provider: z.ZodType<Provider>
  tokens: z.ZodType<Tokens>
  /** Returns an address in the form in which the service stores it. */
  email: z.ZodType<string>
}
