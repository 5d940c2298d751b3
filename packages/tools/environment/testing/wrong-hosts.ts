import { all, keys, set } from "./environments-folder.ts"
import { host, oneOrigin, onWorkersDev, trust, type Wrong } from "./wrong-file.ts"

const stagingZone = keys({ zone: "acme-staging.net", cookieDomain: undefined })

export const wrongHosts: Wrong = {
  R11: {
    "no zone": set("zone", undefined),
    "another zone": set("zone", "acme.org"),
    "a host of another domain": all(
      host("https://api.acme.org", "https://app.acme.org"),
      set("cookieDomain", "acme.org"),
    ),
  },
  R12: {
    "another Worker's host": all(
      onWorkersDev,
      keys({
        apiOrigin: "https://accounts-other.acme.workers.dev",
        webOrigin: "https://accounts-other.acme.workers.dev",
        accept: { R45: "there is no domain yet" },
      }),
    ),
  },
  R13: {
    "a route on workers.dev": all(
      onWorkersDev,
      keys({
        webOrigin: "https://accounts-production.acme.workers.dev",
        attach: "route",
        accept: { R45: "there is no domain yet" },
      }),
    ),
  },
  R14: {
    "plain http": keys({ webOrigin: "http://app.acme.com", trustedOrigins: undefined }),
    "an http trusted origin": trust("http://old.acme.com"),
  },
  R15: {
    "every origin": trust("https://*"),
    "every host of a domain": trust("https://*.acme.com"),
  },
  R16: {
    "a developer's machine": trust("https://localhost:5173"),
    "http on a developer's machine": trust("http://localhost:5173"),
    "a loopback address": trust("https://127.0.0.1"),
    "a private network": trust("https://192.168.1.20"),
  },
  R17: {
    "a preview": trust("https://web-login.preview.acme.dev"),
    "a host on workers.dev": trust("https://accounts-preview-x.acme.workers.dev"),
    "a host on pages.dev": trust("https://acme.pages.dev"),
  },
  R18: {
    "the web origin forgotten": set("trustedOrigins", ["https://api.acme.com"]),
    "the web origin renamed": set("webOrigin", "https://www.acme.com"),
  },
  R19: {
    "two sites": keys({
      webOrigin: "https://app.acme-shop.com",
      cookieDomain: undefined,
      trustedOrigins: undefined,
    }),
  },
  R20: {
    "a cookie domain beside the API": set("cookieDomain", "other.acme.com"),
    "a front end of another company": keys({
      webOrigin: "https://app.acme-shop.com",
      trustedOrigins: undefined,
    }),
  },
  R21: { "a public suffix": set("cookieDomain", "com") },
  R22: {
    "a cookie wider than needed": host(
      "https://api.accounts.acme.com",
      "https://app.accounts.acme.com",
    ),
  },
  R23: {
    "another company's origin": trust("https://evil.com"),
    "a look-alike": trust("https://app.acme.com.evil.com"),
    "staging's front end": trust("https://app.acme-staging.net"),
  },
  R24: {
    "staging's API in production": all(
      host("https://api.acme-staging.net", "https://web.acme-staging.net"),
      stagingZone,
    ),
    "the host of staging's pages as the API's": all(
      host("https://app.acme-staging.net", "https://web.acme-staging.net"),
      stagingZone,
    ),
  },
  R25: {
    "one route in two files": {
      change: set("routes", ["accounts.acme.com/api/*"]),
      neighbour: set("routes", ["accounts.acme.com/api/*"]),
    },
  },
  R26: { "staging's name in production": set("name", "accounts-staging") },
  R63: {
    "the account of previews in production": set("accountId", "fedcba9876543210fedcba9876543210"),
  },
  R64: {
    "staging's mail service in production": set("mailUrl", "https://mail.acme-staging.net/send"),
    "one sender in production and staging, under another name": {
      change: set("mailFrom", "Acme <no-reply@acme.com>"),
      neighbour: set("mailFrom", "Acme Staging <No-Reply@acme.com>"),
    },
  },
  R27: {
    "a route for everything": set("routes", ["*"]),
    "a route for every path of everything": set("routes", ["*/*"]),
    "a star in the middle of a path": set("routes", ["api.acme.com/*/x"]),
    "a query in a route": set("routes", ["api.acme.com/x?y=*"]),
  },
  R28: { "a route of another zone": set("routes", ["other.org/api/*"]) },
  R29: {
    "a route over the front end": set("routes", ["app.acme.com/*"]),
    "a route over every host of the zone": set("routes", ["*.acme.com/*"]),
    "a route over the zone and its hosts": set("routes", ["*acme.com/*"]),
    "a route over the front end, of which paths are taken": all(
      oneOrigin,
      set("routes", ["acme.com/*"]),
    ),
  },
  R30: {
    "a route over staging's API": all(
      host("https://live.acme-staging.net", "https://web.live.acme-staging.net"),
      stagingZone,
      set("routes", ["api.acme-staging.net/*"]),
    ),
  },
  R68: {
    "a custom domain on the front end's host": all(oneOrigin, set("attach", undefined)),
    "a route over the front end's host": all(oneOrigin, set("attach", "route")),
  },
  R69: {
    "paths of a host that is not the front end's": set("attach", "paths"),
    "a cookie domain where all is one host": all(oneOrigin, set("cookieDomain", "acme.com")),
  },
  R31: {
    "a route over the site": set("routes", ["acme.com/*"]),
    "a route over one path of every host": set("routes", ["*.acme.com/x/*"]),
  },
}
