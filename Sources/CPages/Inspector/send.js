// Sends a request once more. What the journal has masked is asked for, and kept for this tab.
import {encrypt} from './aescrypt.js'
import {filled, isFile, send} from './call.js'
import {element, say} from './dom.js'
import {request} from './share.js'

const titles = {
  $API_AUTH_NAME: 'API name', $API_AUTH_PASSWORD: 'API password', $TOKEN: 'Token', $PASSWORD: 'Password, not encrypted',
}

export function form(entry) {
  const again = request(entry)
  const text = `${again.token} ${JSON.stringify(again.members)}`
  const needsPassword = text.includes('$PASSWORD')
  const names = Object.keys(titles).filter(name => text.includes(name)
    || name === '$API_AUTH_NAME' && again.isBasic || name === '$API_AUTH_PASSWORD' && (again.isBasic || needsPassword))
  const inputs = Object.fromEntries(names.map(name => [name, element('input', {
    id: `send-${name.slice(1)}`, autocomplete: 'off', spellcheck: 'false', value: sessionStorage.getItem(name) ?? '',
    type: /PASSWORD/.test(name) ? 'password' : 'text',
  })]))
  const file = again.members.some(([, value]) => isFile(value)) && element('input', {id: 'send-file', type: 'file'})
  const result = element('output', {'aria-live': 'polite'})
  const labelled = (title, input) => element('div', {}, element('label', {for: input.id}, title), input)
  const made = element('form', {
    'aria-label': 'Send again', onsubmit: async event => {
      event.preventDefault()
      const values = Object.fromEntries(names.map(name => [name, inputs[name].value]))
      for (const name of names) sessionStorage.setItem(name, values[name])
      try {
        const api = {name: values.$API_AUTH_NAME, password: values.$API_AUTH_PASSWORD}
        if (values.$PASSWORD) values.$PASSWORD = await encrypt(values.$PASSWORD, api.password)
        const {status} = await send(withFile(filled(again, values), file?.files?.[0] ?? new Blob()), api)
        say(result, `${status}. The request is at the top of the list.`, status < 400 ? 'good' : 'warn')
      } catch (error) {
        say(result, `The request failed: ${error.message}`, 'bad')
      }
    },
  }, element('div', {class: 'row'}, ...names.map(name => labelled(titles[name], inputs[name])),
    ...file ? [labelled('Photo', file)] : [], element('button', {class: 'small'}, 'Send')), result)
  // There is nothing to ask for.
  if (!names.length && !file) queueMicrotask(() => made.requestSubmit())
  return [made]
}

const withFile = (call, file) => ({...call, members: call.members.map(([name, value]) => [name, isFile(value) ? file : value])})
