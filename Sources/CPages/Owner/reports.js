// The settings. Nothing here changes anything.
import {element, find} from './dom.js'
import {bytes, counted, span} from './format.js'
import {replace, table} from './tables.js'

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
