import type { AnyContractRouter } from "@orpc/contract"

/** Method and path of every typed operation. Written by `npm run openapi`. */
export const contract: AnyContractRouter = {
  whoami: {
    "~orpc": {
      errorMap: {},
      meta: {},
      route: {
        method: "GET",
        path: "/whoami",
        summary: "Tell who is signed in, or that nobody is",
        tags: ["user"],
      },
    },
  },
  getProfile: {
    "~orpc": {
      errorMap: {},
      meta: {},
      route: { method: "GET", path: "/getProfile", summary: "Read one's profile", tags: ["user"] },
    },
  },
  updateProfile: {
    "~orpc": {
      errorMap: {},
      meta: {},
      route: {
        method: "POST",
        path: "/updateProfile",
        summary: "Change one's name or image",
        tags: ["user"],
      },
    },
  },
  getPlanAndUsage: {
    "~orpc": {
      errorMap: {},
      meta: {},
      route: {
        method: "GET",
        path: "/getPlanAndUsage",
        summary: "Read one's plan and what is used of it this month",
        tags: ["user"],
      },
    },
  },
  exportData: {
    "~orpc": {
      errorMap: {},
      meta: {},
      route: {
        method: "GET",
        path: "/exportData",
        summary: "Take out everything the service has about oneself",
        tags: ["user"],
      },
    },
  },
  readMember: {
    "~orpc": {
      errorMap: {},
      meta: {},
      route: {
        method: "GET",
        path: "/readMember",
        summary: "Read everything the service has about a user",
        description: "For moderation; every call is written to the audit.",
        tags: ["admin"],
      },
    },
  },
  createEntry: {
    "~orpc": {
      errorMap: {},
      meta: {},
      route: {
        method: "POST",
        path: "/createEntry",
        summary: "Write a journal entry",
        tags: ["journal"],
      },
    },
  },
  getEntry: {
    "~orpc": {
      errorMap: {},
      meta: {},
      route: {
        method: "GET",
        path: "/getEntry",
        summary: "Read a journal entry of one's own",
        tags: ["journal"],
      },
    },
  },
  listEntries: {
    "~orpc": {
      errorMap: {},
      meta: {},
      route: {
        method: "GET",
        path: "/listEntries",
        summary: "List one's journal entries",
        tags: ["journal"],
      },
    },
  },
  getTodayPrompt: {
    "~orpc": {
      errorMap: {},
      meta: {},
      route: {
        method: "GET",
        path: "/getTodayPrompt",
        summary: "Read the prompt of the day",
        tags: ["journal"],
      },
    },
  },
  createResult: {
    "~orpc": {
      errorMap: {},
      meta: {},
      route: {
        method: "POST",
        path: "/createResult",
        summary: "Store a compatibility result",
        tags: ["compatibility"],
      },
    },
  },
  getResult: {
    "~orpc": {
      errorMap: {},
      meta: {},
      route: {
        method: "GET",
        path: "/getResult",
        summary: "Read a result of one's own",
        tags: ["compatibility"],
      },
    },
  },
  listResults: {
    "~orpc": {
      errorMap: {},
      meta: {},
      route: {
        method: "GET",
        path: "/listResults",
        summary: "List one's results",
        tags: ["compatibility"],
      },
    },
  },
  unlockDeepInsights: {
    "~orpc": {
      errorMap: {},
      meta: {},
      route: {
        method: "POST",
        path: "/unlockDeepInsights",
        summary: "Unlock the deep insights of a result with the payment that paid for them",
        tags: ["compatibility"],
      },
    },
  },
  createCheckout: {
    "~orpc": {
      errorMap: {},
      meta: {},
      route: {
        method: "POST",
        path: "/createCheckout",
        summary: "Begin to pay for the deep insights of a result",
        description: "While a checkout of the result is open, the same one is returned.",
        tags: ["payment"],
      },
    },
  },
  verifyPayment: {
    "~orpc": {
      errorMap: {},
      meta: {},
      route: {
        method: "POST",
        path: "/verifyPayment",
        summary: "Ask the payment provider what became of a payment",
        description:
          "For the page the provider leads back to, which may be there before the webhook.",
        tags: ["payment"],
      },
    },
  },
  recordConsent: {
    "~orpc": {
      errorMap: {},
      meta: {},
      route: {
        method: "POST",
        path: "/recordConsent",
        summary: "Agree to a version of a text",
        description: "Agreeing again to what one has agreed to changes nothing.",
        tags: ["consent"],
      },
    },
  },
  listConsents: {
    "~orpc": {
      errorMap: {},
      meta: {},
      route: {
        method: "GET",
        path: "/listConsents",
        summary: "List what one has agreed to, the newest hundred first",
        tags: ["consent"],
      },
    },
  },
  withdrawConsent: {
    "~orpc": {
      errorMap: {},
      meta: {},
      route: {
        method: "POST",
        path: "/withdrawConsent",
        summary: "Withdraw a consent",
        tags: ["consent"],
      },
    },
  },
  makeUserAdmin: {
    "~orpc": {
      errorMap: {},
      meta: {},
      route: {
        method: "POST",
        path: "/makeUserAdmin",
        summary: "Make a member an admin",
        description: "An admin or owner stays what they are.",
        tags: ["admin"],
      },
    },
  },
  changeRole: {
    "~orpc": {
      errorMap: {},
      meta: {},
      route: {
        method: "POST",
        path: "/changeRole",
        summary: "Give a user any role",
        description: "Only owners may. The last owner stays one.",
        tags: ["admin"],
      },
    },
  },
  grantPremium: {
    "~orpc": {
      errorMap: {},
      meta: {},
      route: {
        method: "POST",
        path: "/grantPremium",
        summary: "Give a user the premium plan",
        tags: ["admin"],
      },
    },
  },
  listUsers: {
    "~orpc": {
      errorMap: {},
      meta: {},
      route: { method: "GET", path: "/listUsers", summary: "List all users", tags: ["admin"] },
    },
  },
  listAuditEntries: {
    "~orpc": {
      errorMap: {},
      meta: {},
      route: {
        method: "GET",
        path: "/listAuditEntries",
        summary: "List what admins and owners did or saw",
        tags: ["admin"],
      },
    },
  },
}
