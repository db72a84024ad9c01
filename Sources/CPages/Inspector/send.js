// Sends a request once more. What the journal has masked is asked for, and kept for this tab.
import {element, say} from './dom.js'
import {isFile} from './exchange.js'
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
        const {status} = await send(again, values, file?.files?.[0])
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

async function send({method, url, fields, isBasic, token, type, members}, values, file) {
  const password = values.$API_AUTH_PASSWORD
  const encrypted = values.$PASSWORD && await (await import('./aescrypt.js')).encrypt(values.$PASSWORD, password)
  const filled = text => typeof text === 'string'
    ? text.replace('$PASSWORD', () => encrypted ?? '').replace('$TOKEN', () => values.$TOKEN ?? '') : text
  const headers = new Headers(fields)
  if (token) headers.set('Authorization', filled(token))
  if (isBasic) {
    const bytes = new TextEncoder().encode(`${values.$API_AUTH_NAME}:${password}`)
    headers.set('Authorization', `Basic ${btoa(String.fromCharCode(...bytes))}`)
  }
  const pairs = members.map(([name, value]) => [name, isFile(value) ? file ?? new Blob() : filled(value)])
  let body
  if (type.startsWith('multipart/')) {
    body = new FormData()
    for (const [name, value] of pairs) value instanceof Blob ? body.append(name, value, file?.name ?? 'photo') : body.append(name, value)
  } else if (pairs.length) {
    headers.set('Content-Type', type)
    body = type === 'application/x-www-form-urlencoded' ? new URLSearchParams(pairs).toString() : JSON.stringify(Object.fromEntries(pairs))
  }
  return fetch(url, {method, headers, body, cache: 'no-store', credentials: 'omit'})
}
