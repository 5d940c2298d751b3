import type { AnyContractRouter } from "@orpc/contract"

/** Method and path of every typed operation. Written by `npm run openapi`. */
export const contract: AnyContractRouter = {
  whoami: { "~orpc": { errorMap: {}, meta: {}, route: { method: "GET", path: "/whoami" } } },
  getProfile: {
    "~orpc": { errorMap: {}, meta: {}, route: { method: "GET", path: "/getProfile" } },
  },
  updateProfile: {
    "~orpc": { errorMap: {}, meta: {}, route: { method: "POST", path: "/updateProfile" } },
  },
  getPlanAndUsage: {
    "~orpc": { errorMap: {}, meta: {}, route: { method: "GET", path: "/getPlanAndUsage" } },
  },
  exportData: {
    "~orpc": { errorMap: {}, meta: {}, route: { method: "GET", path: "/exportData" } },
  },
  readMember: {
    "~orpc": { errorMap: {}, meta: {}, route: { method: "GET", path: "/readMember" } },
  },
  createEntry: {
    "~orpc": { errorMap: {}, meta: {}, route: { method: "POST", path: "/createEntry" } },
  },
  getEntry: { "~orpc": { errorMap: {}, meta: {}, route: { method: "GET", path: "/getEntry" } } },
  listEntries: {
    "~orpc": { errorMap: {}, meta: {}, route: { method: "GET", path: "/listEntries" } },
  },
  getTodayPrompt: {
    "~orpc": { errorMap: {}, meta: {}, route: { method: "GET", path: "/getTodayPrompt" } },
  },
  createResult: {
    "~orpc": { errorMap: {}, meta: {}, route: { method: "POST", path: "/createResult" } },
  },
  getResult: { "~orpc": { errorMap: {}, meta: {}, route: { method: "GET", path: "/getResult" } } },
  listResults: {
    "~orpc": { errorMap: {}, meta: {}, route: { method: "GET", path: "/listResults" } },
  },
  unlockDeepInsights: {
    "~orpc": { errorMap: {}, meta: {}, route: { method: "POST", path: "/unlockDeepInsights" } },
  },
  createCheckout: {
    "~orpc": { errorMap: {}, meta: {}, route: { method: "POST", path: "/createCheckout" } },
  },
  verifyPayment: {
    "~orpc": { errorMap: {}, meta: {}, route: { method: "POST", path: "/verifyPayment" } },
  },
  recordConsent: {
    "~orpc": { errorMap: {}, meta: {}, route: { method: "POST", path: "/recordConsent" } },
  },
  listConsents: {
    "~orpc": { errorMap: {}, meta: {}, route: { method: "GET", path: "/listConsents" } },
  },
  withdrawConsent: {
    "~orpc": { errorMap: {}, meta: {}, route: { method: "POST", path: "/withdrawConsent" } },
  },
  makeUserAdmin: {
    "~orpc": { errorMap: {}, meta: {}, route: { method: "POST", path: "/makeUserAdmin" } },
  },
  changeRole: {
    "~orpc": { errorMap: {}, meta: {}, route: { method: "POST", path: "/changeRole" } },
  },
  grantPremium: {
    "~orpc": { errorMap: {}, meta: {}, route: { method: "POST", path: "/grantPremium" } },
  },
  listUsers: { "~orpc": { errorMap: {}, meta: {}, route: { method: "GET", path: "/listUsers" } } },
  listAuditEntries: {
    "~orpc": { errorMap: {}, meta: {}, route: { method: "GET", path: "/listAuditEntries" } },
  },
}
