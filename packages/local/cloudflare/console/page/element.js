/**
 * Text becomes text nodes: nothing here parses markup, whatever the account contains.
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {Record<string, string | number | boolean | EventListener | undefined>} Attributes
 */

/**
 * Event attributes such as `onclick` take a function; `false` and `undefined` omit an attribute.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} attributes
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue
    if (typeof value === "function") made.addEventListener(key.slice(2), value)
    else made.setAttribute(key, value === true ? "" : String(value))
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) made.append(text(child))
  }
  return made
}

/** @param {Node | string | number} child */
function text(child) {
  return child instanceof Node ? child : String(child)
}

/** Marks `code` between backticks. @param {string} words */
export function prose(words) {
  return words.split("`").map((part, index) => (index % 2 === 1 ? element("code", {}, part) : part))
}

/** @param {string} id */
export function byId(id) {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`The page has no element ${id}`)
  return found
}
