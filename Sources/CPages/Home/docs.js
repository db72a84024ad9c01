// Shows a file of the documentation, /pages/docs.html?NAME: as much of Markdown as the documentation uses.
import './frame.js'
import {element, find} from './dom.js'

const names = [
  'Compatibility', 'Requests', 'Differences', 'Settings', 'HTTPS', 'Users', 'Backups', 'Limits', 'Security', 'Testing',
].map(name => `${name}.md`)

// MARK: - Text within a block

function inline(text) {
  const parts = text.split(/(`[^`]+`|\*\*.+?\*\*|\*[^\s*][^*]*\*|\[[^\]]*\]\([^)\s]+\))/)
  // The parts that the pattern matched are every other one.
  return parts.map((part, index) => index % 2 ? marked(part) : part)
}

function marked(part) {
  if (part.startsWith('`')) return element('code', {}, part.slice(1, -1))
  if (part.startsWith('**')) return element('strong', {}, ...inline(part.slice(2, -2)))
  if (part.startsWith('*')) return element('em', {}, ...inline(part.slice(1, -1)))
  const [, text, target] = part.match(/^\[(.*)\]\((.*)\)$/)
  return element('a', {href: address(target)}, ...inline(text))
}

/** Null for a file that the server does not have. */
function address(target) {
  if (/^(https?:|#)/.test(target)) return target
  const file = target.split('#')[0]
  if (names.includes(file)) return `?${target}`
  return file === 'openapi.yaml' ? file : null
}

// MARK: - Blocks

function table([head, , ...rows]) {
  const cells = (name, line) => line.slice(1, -1).split(/(?<!\\)\|/)
    .map(cell => element(name, {}, ...inline(cell.trim().replaceAll('\\|', '|'))))
  return element('div', {class: 'scroll', role: 'group', 'aria-label': 'Table', tabindex: '0'},
    element('table', {},
      element('thead', {}, element('tr', {}, ...cells('th', head))),
      element('tbody', {}, ...rows.map(row => element('tr', {}, ...cells('td', row))))))
}

function list(lines) {
  const items = lines.join('\n').split(/^(?:-|\d+\.) /m).slice(1)
  const first = parseInt(lines[0])
  return element(first ? 'ol' : 'ul', {start: first || null},
    ...items.map(text => element('li', {}, ...inline(text.replace(/\s+/g, ' ')))))
}

/** The name of a heading in links, as on GitHub. */
const anchor = title => title.toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-')

const start = /^(#+ |```|\||- |\d+\. )/

function blocks(text) {
  const lines = text.split('\n')
  const made = []
  const take = test => lines.splice(0, lines.findIndex((line, index) => index && !test(line)))
  lines.push('', '')
  while (lines.length > 1) {
    const kind = lines[0].match(start)?.[0]
    if (kind === '```') {
      const code = take(line => line !== '```')
      lines.shift()
      made.push(element('pre', {}, element('code', {}, code.slice(1).join('\n'))))
    } else if (kind === '|') {
      made.push(table(take(line => line.startsWith('|'))))
    } else if (kind?.startsWith('#')) {
      const title = lines.shift().slice(kind.length)
      made.push(element(`h${kind.length - 1}`, {id: anchor(title)}, ...inline(title)))
    } else if (lines[0].startsWith('![')) {
      // The server does not have the pictures.
      lines.shift()
    } else if (kind) {
      made.push(list(take(line => /^(- |\d+\. | )/.test(line))))
    } else if (lines[0]) {
      made.push(element('p', {}, ...inline(take(line => line && !start.test(line)).join(' '))))
    } else lines.shift()
  }
  return made
}

// MARK: - The page

const asked = location.search.slice(1)
const name = names.includes(asked) ? asked : names[0]
find('names').replaceChildren(...names.map(file =>
  element('a', {href: `?${file}`, 'aria-current': file === name ? 'page' : null}, file.replace('.md', ''))))
const response = await fetch(`/pages/${name}`)
find('main').replaceChildren(...blocks(await response.text()))
document.title = `${find('main').querySelector('h1').textContent} · selfie-server`
// The heading that the address names was not there when the page was opened.
if (location.hash) find(location.hash.slice(1))?.scrollIntoView()
