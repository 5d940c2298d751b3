// Types alone, in a file that views and main.js can both name: no browser ever loads it.

/**
 * @typedef {import("./events.js").Entry} Entry
 * @typedef {import("./events.js").Events} Events
 * @typedef {{ events: Events, parts: string[], page: number, onLeave: (end: () => void) => void }} ViewContext
 * @typedef {{ title?: string, content: (Node | string)[] }} ViewContent
 * @typedef {{
 *   title: string,
 *   show: (context: ViewContext) => Promise<ViewContent>,
 *   concerns?: (entry: Entry) => boolean,
 * }} View
 */

// oxlint-disable-next-line unicorn/require-module-specifiers -- a file is a module only with an export
export {}
