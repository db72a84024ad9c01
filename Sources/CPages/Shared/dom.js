// What all pages share. Text from outside gets into a page as text only, never as HTML.

export const find = id => document.getElementById(id)

/** A new element with attributes (or properties, such as onclick) and children, which are elements or texts. */
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

/** Lets a button copy a text. */
export function copies(button, text) {
  const name = button.textContent
  button.addEventListener('click', async () => {
    button.textContent = (await copy(text())) ? 'Copied' : 'Select it and copy it by hand'
    setTimeout(() => { button.textContent = name }, 2000)
  })
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Over plain http there is no clipboard but by this old command.
    const area = element('textarea', {readonly: true, 'aria-hidden': 'true'})
    area.value = text
    document.body.append(area)
    area.select()
    const isDone = document.execCommand('copy')
    area.remove()
    return isDone
  }
}
