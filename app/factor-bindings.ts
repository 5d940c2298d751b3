import { leastSecret } from "./service/configuration/secret.ts"

/** Of the second factor: a part of `bindings.ts`. */
export const factorBindings = {
  FACTOR_SECRET: {
    type: "secret_text",
    required: "never",
    made: "by generate",
    least: leastSecret,
    summary:
      "Seals the secrets of members' authenticator apps. Without it nobody turns on a second factor; another value makes all apps useless, unless FACTOR_SECRET_PREVIOUS has the one before.",
  },
  FACTOR_SECRET_PREVIOUS: {
    type: "secret_text",
    required: "never",
    made: "by rotate",
    least: leastSecret,
    summary:
      "The FACTOR_SECRET before: from FACTOR_SECRET_FROM on the hourly run seals anew what it sealed, and logs how much is left.",
  },
  FACTOR_SECRET_FROM: {
    type: "plain_text",
    required: "never",
    summary: "When FACTOR_SECRET begins to seal; FACTOR_SECRET_PREVIOUS seals until then.",
  },
  SECOND_FACTOR: {
    type: "plain_text",
    required: "never",
    summary:
      "off: nobody turns on a second factor; who has one is still asked for it. Default: on, where FACTOR_SECRET is set.",
  },
  REQUIRE_SECOND_FACTOR: {
    type: "plain_text",
    required: "never",
    summary:
      "owners, admins (and owners) or everybody: their sessions do nothing before they have shown a second factor. Default: none.",
  },
} as const
