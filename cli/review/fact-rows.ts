import type { Change } from "../../infra/environment/effective/changes.ts"

type Row = { title: string; holds: (change: Change) => boolean; always: boolean }

/** What a reviewer asks about, in this order. */
export const factRows: Row[] = [
  { title: "names", holds: ({ section }) => section === "names", always: false },
  { title: "hosts", holds: ({ section }) => section === "reach", always: true },
  { title: "cookies", holds: ofBrowser(/cookie/), always: true },
  { title: "origins that call", holds: ofBrowser(/^origin /), always: true },
  { title: "sign-in callbacks", holds: ofBrowser(/^callback /), always: false },
  { title: "secrets", holds: ({ section }) => section === "secrets", always: true },
  { title: "bindings", holds: ({ section }) => section === "bindings", always: true },
  { title: "migrations", holds: ({ section }) => section === "migrations", always: true },
  { title: "runtime and release", holds: ({ section }) => section === "runtime", always: false },
  { title: "deletion", holds: ({ section }) => section === "deletion", always: false },
  { title: "accepted rules", holds: ({ section }) => section === "accepted", always: false },
  { title: "others", holds: ({ section }) => section === "others", always: false },
]

function ofBrowser(key: RegExp) {
  return (change: Change) => change.section === "browser" && key.test(change.key)
}
