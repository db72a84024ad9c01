// Tabs, the menus of rows, confirmations and buttons that copy.
import {element, find} from './dom.js'

/**
 * Makes the buttons of a tablist show one panel each: the element that `aria-controls` names.
 * Returns a function that selects a tab by its id.
 */
export function tabs(list, selected = () => {}) {
  const buttons = [...list.querySelectorAll('[role=tab]')]
  const select = chosen => {
    for (const button of buttons) {
      button.setAttribute('aria-selected', button === chosen)
      button.tabIndex = button === chosen ? 0 : -1
      find(button.getAttribute('aria-controls')).hidden = button !== chosen
    }
    selected(chosen.id)
  }
  for (const button of buttons) button.addEventListener('click', () => select(button))
  list.addEventListener('keydown', event => {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key]
    if (!step) return
    const next = buttons[(buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length]
    select(next)
    next.focus()
  })
  return id => select(find(id))
}

/** The menu of a row. Each item is a name and an action; `danger` as the third element makes it red. */
export function menu(about, ...items) {
  const list = element('div', {popover: 'auto', class: 'menu'}, ...items.map(([name, action, kind]) =>
    element('button', {
      type: 'button', class: kind,
      onclick: () => {
        list.hidePopover()
        action()
      },
    }, name)))
  const button = element('button', {type: 'button', class: 'more', 'aria-label': `Actions for ${about}`}, '⋯')
  button.popoverTargetElement = list
  list.addEventListener('beforetoggle', () => {
    const {top, bottom, right} = button.getBoundingClientRect()
    const isLow = bottom > innerHeight * 0.7
    list.style.right = `${document.documentElement.clientWidth - right}px`
    list.style.top = isLow ? 'auto' : `${bottom}px`
    list.style.bottom = isLow ? `${innerHeight - top}px` : 'auto'
  })
  list.addEventListener('keydown', event => {
    const step = {ArrowUp: -1, ArrowDown: 1}[event.key]
    if (!step) return
    event.preventDefault()
    const buttons = [...list.children]
    buttons[(buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length].focus()
  })
  return element('span', {}, button, list)
}

/** Asks for a confirmation, in red unless `kind` says otherwise, and shows `more`. Cancel has the focus. */
export function confirm(title, text, name, kind = 'danger', ...more) {
  return new Promise(resolve => {
    const end = isConfirmed => {
      dialog.close()
      dialog.remove()
      resolve(isConfirmed)
    }
    const no = element('button', {type: 'button', class: 'plain', id: 'confirm-no', onclick: () => end(false)},
      'Cancel')
    const yes = element('button', {type: 'button', class: kind, id: 'confirm-yes', onclick: () => end(true)}, name)
    const dialog = element('dialog', {
      'aria-labelledby': 'confirm-title', 'aria-describedby': 'confirm-text', oncancel: () => end(false),
    }, element('h2', {id: 'confirm-title'}, title), element('p', {id: 'confirm-text'}, text), ...more,
    element('div', {class: 'row end'}, no, yes))
    document.body.append(dialog)
    dialog.showModal()
    no.focus()
  })
}

/** Makes a button copy a text, which may be a promise. */
export function copies(button, text) {
  const name = button.textContent
  button.addEventListener('click', async () => {
    button.textContent = (await copy(await text())) ? 'Copied' : 'Select it and copy it by hand'
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
