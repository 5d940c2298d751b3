import * as z from "zod"

const Page = z
  .url()
  .max(500)
  .regex(
    /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1)(:\d+)?\/)/,
    "must begin with https:// unless it is on this machine",
  )

/** Settings with which an operator adapts the pages, in a stack file and in the binding PAGES. */
export const PagesSettings = z.union([
  z.literal(true),
  z.strictObject({
    /** Name of the service in its pages, emails and authenticator apps. */
    name: z
      .string()
      .trim()
      .min(1)
      .max(40)
      .regex(/^[^\p{Cc}:<>]*$/u, "must be a name, without : < >")
      .optional(),
    /** Its origin joins the policy of the pages. */
    logo: Page.optional(),
    color: z
      .string()
      .regex(/^#[0-9a-f]{6}$/, "must be a colour such as #0b6e4f, in small letters")
      .optional(),
    /** Where a sign-in leads that no front end began. */
    home: Page.optional(),
    links: z
      .strictObject({
        terms: Page.optional(),
        privacy: Page.optional(),
        support: Page.optional(),
      })
      .optional(),
    /** The first is the default. */
    languages: z
      .array(z.enum(["en", "de"]))
      .min(1)
      .refine((list) => new Set(list).size === list.length, "must not name one thing twice")
      .optional(),
  }),
])

export type PagesSettings = Exclude<z.infer<typeof PagesSettings>, true>
