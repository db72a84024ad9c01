// The document. Text from outside gets into a page as text only, never as HTML.

export const find = id => document.getElementById(id)

/** A new element with attributes (or listeners, such as onclick) and children, which are elements or texts. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value)
    else if (value === true) made.setAttribute(key, '')
    else if (value !== false && value != null) made.setAttribute(key, value)
  }
  made.append(...children)
  return made
}

/** Shows a text in a live region. Its kind is good, bad or empty. */
export function say(region, text, kind = '') {
  region.className = `result ${kind}`
  region.textContent = text
}
