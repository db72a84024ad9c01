// The log's warnings, the requests that failed, and the settings. Nothing here changes anything.
import {element, find} from './dom.js'
import {bytes, counted, span, timeOfDay} from './format.js'
import {replace, table} from './tables.js'

const shown = {}

/** Draws a list if it has changed: a text that somebody selects stays. */
function draw(id, rows, make) {
  const text = JSON.stringify(rows)
  if (shown[id] === text) return
  shown[id] = text
  replace(find(id), rows.length ? make() : element('p', {}, 'None.'))
}

const more = text => element('span', {class: 'faint detail'}, text)
const chip = (text, isBad) => element('span', {class: `status ${isBad ? 'bad' : 'warn'}`}, `${text}`)

export function showLog({warnings, errors}) {
  showWarnings(warnings)
  showErrors(errors)
}

const showWarnings = warnings => draw('warnings', warnings, () => table('Warnings',
  [['Time', 'time'], ['Level', ''], ['Message', 'text']],
  warnings.map(({time, level, message, details}) =>
    [timeOfDay(time), chip(level, level !== 'warning'), element('span', {}, message, more(details))])))

const showErrors = errors => draw('errors', errors, () => table('Failed requests',
  [['Time', 'time'], ['Status', ''], ['Request', 'text']],
  errors.map(({time, method, path, status, requestID}) => [timeOfDay(time), chip(status, true), element('span', {},
    method ? `${method} ${path}` : 'The request could not be read', more(requestID ? `Request id ${requestID}` : ''))])))

/** A value with its unit, where it is a plain number of seconds or bytes. */
function valueOf({name, value}) {
  if (!/^\d+$/.test(value)) return value
  if (/_QUOTA$/.test(name) && value === '0') return 'no limit'
  if (/_(LIFETIME|AFTER)$/.test(name)) return `${span(value * 1000)} (${value} s)`
  return /_(BYTES|LIMIT|QUOTA)$/.test(name) ? bytes(Number(value)) : value
}

export function showSettings(settings) {
  const [set, unset] = [settings.filter(({source}) => source), settings.filter(({source}) => !source)]
  const name = setting => element('code', {}, setting.name)
  const bySubject = (list, row) => list.flatMap((setting, index) =>
    [...setting.subject === list[index - 1]?.subject ? [] : [setting.subject], row(setting)])
  replace(find('settings'), set.length ? table('Settings that are set', [['Name', 'setting'], ['Value', 'text'], ['From', 'wide']],
    bySubject(set, setting => [name(setting),
      element('span', {}, valueOf(setting), element('span', {class: 'faint detail narrow'}, `from ${setting.source}`)), setting.source])) : element('p', {}, 'None: all have their defaults.'))
  const [summary, content] = find('defaults').children
  summary.textContent = `${counted(unset.length, 'more setting')} with ${unset.length === 1 ? 'its default' : 'their defaults'}`
  replace(content, table('Settings with their defaults', [['Name', 'setting'], ['Value', 'text']],
    bySubject(unset, setting => [name(setting), valueOf(setting)])))
}
