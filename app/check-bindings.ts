/** Of what others check for the service: a part of the table in `bindings.ts`. */
export const checkBindings = {
  BREACHED_PASSWORDS: {
    type: "plain_text",
    required: "never",
    summary:
      "refuse: no password is chosen that Have I Been Pwned knows from a leak. Default: none is asked about.",
  },
  LOCAL_CHECKS: {
    type: "plain_text",
    required: "never",
    summary:
      "Origin of the sandbox that stands in for Have I Been Pwned and Turnstile. Other environments than local ignore it.",
  },
  TURNSTILE_SITE_KEY: {
    type: "plain_text",
    required: "never",
    summary:
      "Of the Turnstile widget that a browser must pass before it signs up or asks for a letter. Default: none.",
  },
  TURNSTILE_SECRET: {
    type: "secret_text",
    required: "never",
    made: "by its service",
    least: 8,
    summary: "Key of that widget, for the service.",
  },
} as const
