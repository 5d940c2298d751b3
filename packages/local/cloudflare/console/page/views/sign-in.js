import { element } from "../element.js"

/** @param {string} [reason] */
export function signIn(reason) {
  return [
    ...(reason === undefined ? [] : [element("p", { class: "notice", role: "alert" }, reason)]),
    element(
      "p",
      {},
      "This page shows what the local Cloudflare is doing. To sign in, run this command in the project’s directory:",
    ),
    element(
      "pre",
      { tabindex: 0, "aria-label": "Command" },
      element("code", {}, "./accounts local console"),
    ),
    element(
      "p",
      {},
      "Then open the link that it prints. Each link works once, within ten minutes.",
    ),
  ]
}
