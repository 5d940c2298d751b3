import { oneOrigin } from "./edit.ts"
import { all, set } from "./environments-folder.ts"
import { onWorkersDev, trust, type WrongFile } from "./wrong-file.ts"

export const wrongHosts: WrongFile[] = [
  { rule: "R11", title: "no zone", change: set("zone", undefined) },
  { rule: "R11", title: "another zone", change: set("zone", "acme.org") },
  {
    rule: "R11",
    title: "a host of another domain",
    change: all(
      set("apiOrigin", "https://api.acme.org"),
      set("webOrigin", "https://app.acme.org"),
      set("cookieDomain", "acme.org"),
      set("trustedOrigins", undefined),
    ),
  },
  {
    rule: "R12",
    title: "another Worker's host",
    change: all(
      onWorkersDev,
      set("apiOrigin", "https://accounts-other.acme.workers.dev"),
      set("webOrigin", "https://accounts-other.acme.workers.dev"),
      set(["accept"], { R45: "there is no domain yet" }),
    ),
  },
  {
    rule: "R13",
    title: "a route on workers.dev",
    change: all(
      onWorkersDev,
      set("webOrigin", "https://accounts-production.acme.workers.dev"),
      set("attach", "route"),
      set(["accept"], { R45: "there is no domain yet" }),
    ),
  },
  {
    rule: "R14",
    title: "plain http",
    change: all(set("webOrigin", "http://app.acme.com"), set("trustedOrigins", undefined)),
  },
  { rule: "R14", title: "an http trusted origin", change: trust("http://old.acme.com") },
  { rule: "R15", title: "every origin", change: trust("https://*") },
  { rule: "R15", title: "every host of a domain", change: trust("https://*.acme.com") },
  { rule: "R16", title: "a developer's machine", change: trust("https://localhost:5173") },
  { rule: "R16", title: "http on a developer's machine", change: trust("http://localhost:5173") },
  { rule: "R16", title: "a loopback address", change: trust("https://127.0.0.1") },
  { rule: "R16", title: "a private network", change: trust("https://192.168.1.20") },
  { rule: "R17", title: "a preview", change: trust("https://web-login.preview.acme.dev") },
  {
    rule: "R17",
    title: "a host on workers.dev",
    change: trust("https://accounts-preview-x.acme.workers.dev"),
  },
  { rule: "R17", title: "a host on pages.dev", change: trust("https://acme.pages.dev") },
  {
    rule: "R18",
    title: "the web origin forgotten",
    change: set("trustedOrigins", ["https://api.acme.com"]),
  },
  {
    rule: "R18",
    title: "the web origin renamed",
    change: set("webOrigin", "https://www.acme.com"),
  },
  {
    rule: "R19",
    title: "two sites",
    change: all(
      set("webOrigin", "https://app.acme-shop.com"),
      set("cookieDomain", undefined),
      set("trustedOrigins", undefined),
    ),
  },
  {
    rule: "R20",
    title: "a cookie domain beside the API",
    change: set("cookieDomain", "other.acme.com"),
  },
  {
    rule: "R20",
    title: "a front end of another company",
    change: all(set("webOrigin", "https://app.acme-shop.com"), set("trustedOrigins", undefined)),
  },
  { rule: "R21", title: "a public suffix", change: set("cookieDomain", "com") },
  {
    rule: "R22",
    title: "a cookie wider than needed",
    change: all(
      set("apiOrigin", "https://api.accounts.acme.com"),
      set("webOrigin", "https://app.accounts.acme.com"),
      set("trustedOrigins", undefined),
    ),
  },
  { rule: "R23", title: "another company's origin", change: trust("https://evil.com") },
  { rule: "R23", title: "a look-alike", change: trust("https://app.acme.com.evil.com") },
  { rule: "R23", title: "staging's front end", change: trust("https://app.acme-staging.net") },
  {
    rule: "R24",
    title: "staging's API in production",
    change: all(
      set("zone", "acme-staging.net"),
      set("apiOrigin", "https://api.acme-staging.net"),
      set("webOrigin", "https://web.acme-staging.net"),
      set("cookieDomain", undefined),
      set("trustedOrigins", undefined),
    ),
  },
  {
    rule: "R24",
    title: "the host of staging's pages as the API's",
    change: all(
      set("zone", "acme-staging.net"),
      set("apiOrigin", "https://app.acme-staging.net"),
      set("webOrigin", "https://web.acme-staging.net"),
      set("cookieDomain", undefined),
      set("trustedOrigins", undefined),
    ),
  },
  {
    rule: "R25",
    title: "one route in two files",
    change: set("routes", ["accounts.acme.com/api/*"]),
    neighbour: set("routes", ["accounts.acme.com/api/*"]),
  },
  { rule: "R26", title: "staging's name in production", change: set("name", "accounts-staging") },
  {
    rule: "R63",
    title: "the account of previews in production",
    change: set("accountId", "fedcba9876543210fedcba9876543210"),
  },
  {
    rule: "R64",
    title: "staging's mail service in production",
    change: set("mailUrl", "https://mail.acme-staging.net/send"),
  },
  {
    rule: "R64",
    title: "one sender in production and staging, under another name",
    change: set("mailFrom", "Acme <no-reply@acme.com>"),
    neighbour: set("mailFrom", "Acme Staging <No-Reply@acme.com>"),
  },
  { rule: "R27", title: "a route for everything", change: set("routes", ["*"]) },
  { rule: "R27", title: "a route for every path of everything", change: set("routes", ["*/*"]) },
  {
    rule: "R27",
    title: "a star in the middle of a path",
    change: set("routes", ["api.acme.com/*/x"]),
  },
  { rule: "R27", title: "a query in a route", change: set("routes", ["api.acme.com/x?y=*"]) },
  { rule: "R28", title: "a route of another zone", change: set("routes", ["other.org/api/*"]) },
  { rule: "R29", title: "a route over the front end", change: set("routes", ["app.acme.com/*"]) },
  {
    rule: "R29",
    title: "a route over every host of the zone",
    change: set("routes", ["*.acme.com/*"]),
  },
  {
    rule: "R29",
    title: "a route over the zone and its hosts",
    change: set("routes", ["*acme.com/*"]),
  },
  {
    rule: "R30",
    title: "a route over staging's API",
    change: all(
      set("routes", ["api.acme-staging.net/*"]),
      set("zone", "acme-staging.net"),
      set("apiOrigin", "https://live.acme-staging.net"),
      set("webOrigin", "https://web.live.acme-staging.net"),
      set("cookieDomain", undefined),
      set("trustedOrigins", undefined),
    ),
  },
  {
    rule: "R29",
    title: "a route over the front end, of which paths are taken",
    change: all(oneOrigin, set("routes", ["acme.com/*"])),
  },
  {
    rule: "R68",
    title: "a custom domain on the front end's host",
    change: all(oneOrigin, set("attach", undefined)),
  },
  {
    rule: "R68",
    title: "a route over the front end's host",
    change: all(oneOrigin, set("attach", "route")),
  },
  {
    rule: "R69",
    title: "paths of a host that is not the front end's",
    change: set("attach", "paths"),
  },
  {
    rule: "R69",
    title: "a cookie domain where all is one host",
    change: all(oneOrigin, set("cookieDomain", "acme.com")),
  },
  { rule: "R31", title: "a route over the site", change: set("routes", ["acme.com/*"]) },
  {
    rule: "R31",
    title: "a route over one path of every host",
    change: set("routes", ["*.acme.com/x/*"]),
  },
]
