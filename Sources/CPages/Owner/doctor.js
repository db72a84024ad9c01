// What doctor has found last, and the button that starts it.
import {element, find, say} from './dom.js'
import {counted, time} from './overview.js'
import {change, get} from './server.js'

const interval = 500
let timer = 0
let shown

function summary(last) {
  if (!last) return ['No check has run since the server was started.']
  const end = `${counted(last.photos, 'photo')} checked, ${time(last.time)}.`
  if (last.failures.length) return [`✗ Not everything could be checked. ${end}`, 'bad']
  return last.finding_count ? [`✗ ${counted(last.finding_count, 'finding')}. ${end}`, 'bad']
    : [`✓ Everything is in order. ${end}`, 'good']
}

function lines({findings, failures, finding_count: count}) {
  const more = count - findings.length
  return [...failures, ...findings, ...more > 0 ? [`And ${counted(more, 'finding')} more. selfie-server doctor lists all.`] : []]
}

function show({running, last}) {
  clearTimeout(timer)
  if (running) timer = setTimeout(showDoctor, interval)
  // A live region that is written again would be read out again.
  const state = JSON.stringify([running, last])
  if (state === shown) return
  shown = state
  say(find('doctor-result'), ...running ? ['Checking …'] : summary(last))
  const items = running || !last ? [] : lines(last).map(text => element('li', {}, text))
  find('doctor-findings').replaceChildren(...items)
  find('doctor-findings').hidden = !items.length
}

async function run(action) {
  try {
    show(await action())
  } catch (error) {
    shown = undefined
    say(find('doctor-result'), `✗ ${error.message}`, 'bad')
  }
}

export const showDoctor = () => run(() => get('doctor'))
find('doctor-check').addEventListener('click', () => run(() => change('POST', ['doctor'])))
