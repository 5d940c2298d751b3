import { exported } from "../../exports.ts"
import { limits, metrics } from "../../plan/plan.ts"
import type { Examples } from "../openapi/examples.ts"

export const ada = {
  id: "user_ej80syanscczvrebh8kbqydn",
  email: "ada@example.com",
  emailVerified: true,
  name: "Ada Lovelace",
  image: "https://images.example.com/ada.png",
  role: "member",
  createdAt: "2026-11-02T08:15:30.000Z",
}

const none = Object.fromEntries(Object.keys(exported).map((name) => [name, []]))

/** @param rows Of nouns, by their names in the export. */
function pageOf(rows: object) {
  return {
    profile: {
      ...ada,
      plan: "free",
      planUntil: null,
      language: "en",
      suspendedAt: null,
      suspendedFor: null,
      deleteAt: null,
      secondFactorSince: null,
      updatedAt: "2026-11-02T08:15:30.000Z",
    },
    sessions: [
      {
        id: "session_pe34s3jg42gqdje02xf65bdw",
        ipAddress: "203.0.113.7",
        userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
        name: null,
        createdAt: "2026-11-21T19:40:00.000Z",
        expiresAt: "2026-11-28T19:40:00.000Z",
      },
    ],
    signInMethods: [
      {
        id: "account_p07wlmdgfrkiyfwhixvzn0pf",
        providerId: "credential",
        accountId: ada.id,
        scope: null,
        createdAt: ada.createdAt,
      },
    ],
    usage: metrics.slice(0, 1).map((metric) => ({ metric, period: "2026-11", count: 12 })),
    removedSignInMethods: [],
    secondFactors: [],
    trustedBrowsers: [],
    passkeys: [],
    formerAddresses: [],
    ...none,
    ...rows,
    securityEvents: [
      {
        id: "audit_entry_v7yzmprrq2ozb0hbgdcwtdvk",
        action: "sign_in",
        detail: "password",
        byYou: true,
        createdAt: "2026-11-21T19:40:00.000Z",
      },
    ],
    nextCursor: null,
  }
}

const cursor = "eyJqb3VybmFsRW50cmllcyI6MjAwfQ"

export function createUserExamples(exportedRows: object): Examples {
  const page = pageOf(exportedRows)
  const own = { ...ada, language: "en" }
  return {
    whoami: { answer: { user: { id: ada.id, name: ada.name, role: ada.role } } },
    getProfile: { answer: own },
    updateProfile: { body: { name: ada.name, image: ada.image, language: "en" }, answer: own },
    getPlanAndUsage: {
      answer: {
        plan: "free",
        planUntil: null,
        usage: metrics.map((metric, index) => ({
          metric,
          used: index === 0 ? 12 : 1,
          limit: limits.free[metric],
        })),
        resetsAt: "2026-12-01T00:00:00.000Z",
      },
    },
    exportData: { parameters: { cursor }, answer: page },
    readMember: { parameters: { userId: ada.id, cursor }, answer: page },
  }
}
