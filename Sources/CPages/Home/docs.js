// Shows a file of the documentation, /pages/docs.html?NAME: as much of Markdown as the documentation uses.
import './frame.js'
import {element, find} from './dom.js'
import {notice} from './notice.js'

const index = 'README.md'
/** The text of a page by its name, or null if the server does not send it; each is asked for once. */
const texts = new Map()
function text(name) {
  if (!texts.has(name)) {
    texts.set(name, fetch(`${location.origin}/pages/${name}`).then(response => response.ok ? response.text() : null, () => null))
  }
  return texts.get(name)
}

/** The groups of the index, each with its pages: `{title, pages: [{path, title}]}`. */
function groups(text) {
  const groups = []
  for (const line of text.split('\n')) {
    const [, title] = line.match(/^\| \*\*(.+)\*\* \|/) ?? []
    if (title) groups.push({title, pages: []})
    const [, page, path] = line.match(/^\| \[(.+?)\]\(([\w/]+\.md)\) \|/) ?? []
    if (page) groups.at(-1)?.pages.push({path, title: page})
  }
  return groups
}
const contents = groups(await text(index) ?? '')
/** The paths of all pages within Docs. The server has each under the last part of its path. */
const paths = [index, ...contents.flatMap(group => group.pages.map(page => page.path))]
const nameOf = path => path.split('/').at(-1)
const asked = location.search.slice(1)
const path = paths.find(path => nameOf(path) === asked) ?? index

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
  if (/^(https?:|#)/.test(target)) return element('a', {href: target}, ...inline(text))
  const {pathname, hash} = new URL(target, `https://docs/Docs/${path}`)
  const file = pathname.replace('/Docs/', '')
  if (paths.includes(file)) return element('a', {href: `?${nameOf(file)}${hash}`}, ...inline(text))
  if (file === 'openapi.yaml') return element('a', {href: file}, ...inline(text))
  // The server does not have this file of the repository.
  return element('span', {}, ...inline(text), ' (', element('code', {}, pathname.slice(1)), ')')
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

// MARK: - The contents

/** The headings of a text and what stands below each: `{title, text}`. */
function sections(text) {
  const sections = []
  let isCode = false
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode
    else if (!isCode && line.startsWith('#')) sections.push({title: line.replace(/^#+ /, ''), text: ''})
    else if (sections.length) sections.at(-1).text += `${line} `
  }
  return sections
}

function link(page) {
  return element('a', {href: `?${nameOf(page.path)}`, 'aria-current': page.path === path ? 'page' : null}, page.title)
}

find('names').replaceChildren(...contents.map(group => element('div', {},
  element('strong', {}, group.title), element('ul', {}, ...group.pages.map(page => element('li', {}, link(page)))))))

// Beside the text if there is room, and above it otherwise.
find('contents').open = matchMedia('(min-width: 60rem)').matches

// MARK: - Search

const maxFound = 20
const plain = text => text.replace(/\]\([^)]*\)/g, '').replace(/[*`|[\]]/g, '').replace(/\s+/g, ' ')

/** The sections that contain all words, those with one in the heading first. */
async function search(words) {
  const found = []
  for (const page of contents.flatMap(group => group.pages)) {
    for (const section of sections(await text(nameOf(page.path)) ?? '')) {
      const body = plain(section.text)
      const all = `${section.title} ${body}`.toLowerCase()
      if (!words.every(word => all.includes(word))) continue
      const place = Math.max(0, body.toLowerCase().indexOf(words[0]) - 40)
      const inTitle = words.some(word => section.title.toLowerCase().includes(word))
      found.push({page, title: section.title, excerpt: body.slice(place, place + 140), inTitle})
    }
  }
  return found.sort((a, b) => b.inTitle - a.inTitle).slice(0, maxFound)
}

async function showFound() {
  const asked = find('search').value
  const words = asked.toLowerCase().split(/\s+/).filter(word => word)
  const found = words.length ? await search(words) : []
  // Another letter was typed meanwhile.
  if (asked !== find('search').value) return
  find('count').textContent = !words.length ? '' : found.length ? `${found.length} found` : 'Nothing found'
  find('found').replaceChildren(...found.map(({page, title, excerpt}) => element('li', {},
    element('a', {href: `?${nameOf(page.path)}#${anchor(title)}`}, `${page.title}: ${plain(title)}`),
    element('p', {}, `…${excerpt}…`))))
}
find('search').addEventListener('input', showFound)

// MARK: - The page

const shown = await text(nameOf(path))
find('main').replaceChildren(...shown ? blocks(shown) : [])
document.title = `${find('main').querySelector('h1')?.textContent ?? asked} · selfie-server`
if (!shown) {
  notice('This page of the documentation did not load', 'The server may have stopped. Start it, and reload the page.')
}
// The heading that the address names was not there when the page was opened.
if (location.hash) find(location.hash.slice(1))?.scrollIntoView()
