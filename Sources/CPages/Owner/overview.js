// How the server is: numbers, charts, errors and settings. Nothing here changes anything.
import {element, find} from './dom.js'
import {bytes, number, time} from './format.js'

function duration(seconds) {
  if (seconds == null) return '–'
  const [days, hours, minutes] = [Math.floor(seconds / 86400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60]
  return days ? `${days} d ${hours} h` : hours ? `${hours} h ${minutes} min` : `${minutes} min`
}

const milliseconds = microseconds => microseconds == null ? '–' : `< ${(microseconds / 1000).toLocaleString()} ms`

function backup(status, last) {
  if (!last) return 'none: set BACKUP_DIR to make them automatically'
  const text = status.last_backup ? `${time(status.last_backup)}${last.verified ? ', verified' : ''}` : 'none yet'
  return status.backup_error ? `${text}; the last attempt failed: ${status.backup_error}` : text
}

export function showNow(status, {requests, backup: last}) {
  const facts = [
    ['Users', number(status.users)], ['Disabled users', number(status.disabled_users)],
    ['Photos', number(status.photos)], ['Bytes of photos', bytes(status.bytes)],
    ['Database', bytes(status.database_bytes)], ['Free disk space', bytes(status.free_bytes)],
    ['Last backup', backup(status, last)], ['Refused sign-ins', `${number(status.refused_sign_ins)} since the server started`],
    ['Requests per second', (requests.count / requests.seconds).toFixed(1)],
    ['Median response time', milliseconds(requests.median)],
    ['99th percentile', milliseconds(requests.p99)], ['Running for', duration(status.uptime)],
  ]
  find('version').textContent = status.version
  find('facts').replaceChildren(...facts.map(([name, value]) =>
    element('div', {}, element('dt', {}, name), element('dd', {}, value))))
}

/** A table; each row is a list of texts or elements. */
export function table(caption, titles, rows) {
  return element('div', {class: 'scroll', role: 'group', 'aria-label': caption, tabindex: '0'},
    element('table', {},
      element('thead', {}, element('tr', {}, ...titles.map(title => element('th', {scope: 'col'}, title)))),
      element('tbody', {}, ...rows.map(row => element('tr', {}, ...row.map((cell, index) =>
        cell instanceof Node ? cell : element('td', {'data-name': titles[index]}, `${cell ?? '–'}`)))))))
}

export function showErrors(errors) {
  find('errors').replaceChildren(errors.length
    ? table('Errors', ['Time', 'Request', 'Status', 'Request id (see the log)'],
      errors.map(error => [time(error.time), error.method ? `${error.method} ${error.path}` : 'could not be read', error.status, error.requestID]))
    : element('p', {}, 'None since the server started.'))
}

export function showSettings(settings) {
  find('settings').replaceChildren(table('Settings', ['Name', 'Value', 'From'],
    settings.map(({name, value, source}) => [name, value, source ?? (value == null ? 'not set' : 'default')])))
}

function svg(name, attributes, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

function chart(title, times, values, shown) {
  const [first, last] = [times[0], Math.max(times.at(-1), times[0] + 1)]
  const [low, high] = values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [values[0], values[0]])
  const points = values.map((value, index) => {
    const x = (times[index] - first) / (last - first) * 300
    return `${x.toFixed(1)},${(high === low ? 50 : 95 - (value - low) / (high - low) * 90).toFixed(1)}`
  })
  const text = `${shown(values[0])} to ${shown(values.at(-1))} since ${new Date(first).toLocaleTimeString()}`
  return element('div', {class: 'card'},
    element('h3', {}, title), element('p', {class: 'faint'}, text),
    svg('svg', {viewBox: '0 0 300 100', preserveAspectRatio: 'none', role: 'img', 'aria-label': `${title}: ${text}`},
      svg('polyline', {class: 'line', points: points.join(' ')})))
}

export function showHistory(history) {
  const charts = [
    ['Users', 'users', number], ['Photos', 'photos', number], ['Bytes of photos', 'bytes', bytes],
    ['Refused sign-ins', 'refusedSignIns', number],
  ]
  const times = history.map(sample => sample.time)
  find('charts').replaceChildren(...history.length > 1
    ? charts.map(([title, name, shown]) => chart(title, times, history.map(sample => sample[name]), shown))
    : [element('p', {}, 'There is nothing to draw yet: the server records one value per minute.')])
}
