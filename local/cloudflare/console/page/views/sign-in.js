import { element } from "../element.js"

/** @param {string} [reason] */
export function signIn(reason) {
  return [
    ...(reason === undefined ? [] : [element("p", { class: "notice", role: "alert" }, reason)]),
    element(
      "p",
      {},
      "This page shows what the Cloudflare on this machine does. In the project’s directory, run",
    ),
    element(
      "pre",
      { tabindex: 0, "aria-label": "Command" },
      element("code", {}, "./accounts local console"),
    ),
    element(
      "p",
      {},
      "and open the link that it prints. A link is good for one browser, and for ten minutes.",
    ),
  ]
}
