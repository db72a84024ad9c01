// Charts of how much was stored, with axes.
import {element, find} from './dom.js'
import {bytes, number} from './format.js'

const size = {width: 300, height: 100}

const hour = new Intl.DateTimeFormat(undefined, {timeStyle: 'short'})
const moment = new Intl.DateTimeFormat(undefined, {dateStyle: 'medium', timeStyle: 'short'})

/** Round values for the vertical axis, from the lowest to the highest. */
function ticks(values, shown) {
  const [low, high] = values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, 0])
  // Bytes are shown with three digits or so: smaller steps would look the same.
  const rough = Math.max((high - low) / 3, shown === bytes ? high / 20 : 0, 1)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map(factor => factor * power).find(step => step >= rough)
  const bottom = Math.floor(low / step) * step
  const count = Math.max(1, Math.ceil((high - bottom) / step))
  return Array.from({length: count + 1}, (_, index) => bottom + index * step)
}

function svg(name, attributes, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

function chart(title, times, values, shown) {
  const marks = ticks(values, shown)
  const [first, last, bottom, top] = [times[0], times.at(-1), marks[0], marks.at(-1)]
  const x = time => ((time - first) / (last - first) * size.width).toFixed(1)
  const y = value => ((top - value) / (top - bottom) * size.height).toFixed(1)
  const text = `${title}: ${shown(values[0])} at ${hour.format(first)}, ${shown(values.at(-1))} at ${hour.format(last)}`
  return element('figure', {class: 'card chart'},
    element('figcaption', {}, element('h3', {}, title), element('span', {}, shown(values.at(-1)))),
    element('div', {class: 'upright', 'aria-hidden': 'true'}, ...marks.map(mark => element('span', {}, shown(mark)))),
    svg('svg', {viewBox: `0 0 ${size.width} ${size.height}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': text},
      ...marks.map(mark => svg('line', {x1: 0, x2: size.width, y1: y(mark), y2: y(mark)})),
      svg('polyline', {points: values.map((value, index) => `${x(times[index])},${y(value)}`).join(' ')})),
    element('div', {class: 'level', 'aria-hidden': 'true'},
      ...[first, (first + last) / 2, last].map(time => element('span', {}, hour.format(time)))))
}

/** Shows the samples of the last day, one a minute. The refused sign-ins of a sample are those since the one before. */
export function showHistory(samples) {
  // A change takes two samples.
  if (samples.length < 3) {
    find('covered').textContent = 'The server records one value a minute, and has just started.'
    return
  }
  const rest = samples.slice(1)
  const times = rest.map(({time}) => time)
  const refused = rest.map(({refusedSignIns}, index) => Math.max(0, refusedSignIns - samples[index].refusedSignIns))
  const all = name => rest.map(sample => sample[name])
  find('covered').textContent =
    `From ${moment.format(times[0])} to ${moment.format(times.at(-1))}, one value a minute. The server keeps 24 h in memory.`
  find('charts').replaceChildren(
    chart('Users', times, all('users'), number), chart('Photos', times, all('photos'), number),
    chart('Size of all photos', times, all('bytes'), bytes), chart('Refused sign-ins a minute', times, refused, number))
}
