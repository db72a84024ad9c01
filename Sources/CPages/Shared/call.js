// A request as data, how it is sent, and its command for curl. Variables such as $TOKEN stand for what is secret or not known
// yet: {method, url, fields, isBasic, token, type, members}, with fields and members as lists of names and values.
import {command, quoted, variable} from './curl.js'

/** Whether a parameter is a file, or the journal's description of one. */
export const isFile = value => value instanceof Blob
  || Boolean(value) && typeof value === 'object' && 'byte_count' in value && 'content_type' in value

/** A request with values in place of the variables that have one. */
export function filled(call, values) {
  const known = value => Object.hasOwn(values, value) && values[value] || value
  return {
    ...call, token: call.token?.replace('$TOKEN', () => known('$TOKEN')),
    members: call.members.map(([name, value]) => [name, typeof value === 'string' ? known(value) : value]),
  }
}

/** - sending: as fetch. */
export function send({method, url, fields = [], isBasic, token, type, members}, api, sending = fetch) {
  const headers = new Headers([...fields, ['Accept', '*/*']])
  if (token) headers.set('Authorization', token)
  if (isBasic) {
    const bytes = new TextEncoder().encode(`${api.name}:${api.password}`)
    headers.set('Authorization', `Basic ${btoa(String.fromCharCode(...bytes))}`)
  }
  let body
  if (type.startsWith('multipart/')) {
    body = new FormData()
    for (const [name, value] of members) isFile(value) ? body.append(name, value, value.name ?? 'photo.jpg') : body.append(name, value)
  } else if (members.length) {
    headers.set('Content-Type', type)
    body = type === 'application/x-www-form-urlencoded' ? new URLSearchParams(members).toString() : json(members)
  }
  return sending(url, {method, headers, body, cache: 'no-store', credentials: 'omit'})
}

const json = members => JSON.stringify(Object.fromEntries(members))

export function curl({method, url, fields = [], isBasic, token, type, members}) {
  const words = [`curl -i -X ${quoted(method)} ${quoted(url)}`]
  if (isBasic) words.push('-u "$API_AUTH_NAME:$API_AUTH_PASSWORD"')
  if (token) words.push(`-H ${variable(`Authorization: ${token}`)}`)
  for (const [name, value] of fields) words.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (!members.length) return command(...words)
  if (type.startsWith('multipart/')) {
    // The client chose the name of its file, and curl would read the file of that name here.
    for (const [name, value] of members) {
      words.push(isFile(value) ? `-F ${quoted(`${name}=@photo.jpg`)}` : `--form-string ${variable(`${name}=${value}`)}`)
    }
  } else if (type === 'application/x-www-form-urlencoded') {
    for (const [name, value] of members) words.push(`--data-urlencode ${variable(`${name}=${value}`)}`)
  } else {
    words.push(`-H ${quoted(`Content-Type: ${type}`)} --data-raw ${variable(json(members))}`)
  }
  return command(...words)
}
