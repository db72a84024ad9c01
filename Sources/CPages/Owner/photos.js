// Photos as galleries, the newest first, and one photo in the window.
import {removePhoto} from './actions.js'
import {element, find} from './dom.js'
import {bytes, counted, time, timeOfDay} from './format.js'
import {addressOf, run} from './server.js'
import {menu} from './widgets.js'

const maxPhotos = 12
/** Of the pictures that are loading at a time: a photo may have 64 MiB, and those in the window should come first. */
const maxLoading = 4
const pause = 200

const fileOf = photo => `/photos/${encodeURIComponent(photo.random_id)}`

function download(photo) {
  const type = photo.content_type.split('/')[1]
  const name = photo.name || `${photo.title}.${type === 'jpeg' ? 'jpg' : type}`
  element('a', {href: fileOf(photo), download: name}).click()
}

/**
 * Fills a region with photos, of one user if there is an email. More are fetched when the end comes into the window.
 * `count` is called with the total, and `changed` after a photo was deleted.
 */
export async function gallery(region, {email, count = () => {}, changed = () => {}}) {
  const photos = []
  let total = 0
  const list = element('ul', {class: 'gallery', 'aria-label': 'Photos'})
  const note = element('p', {class: 'faint'})
  const more = element('button', {type: 'button', class: 'plain small', hidden: true}, 'Show more')
  const remove = async photo => {
    const tile = list.children[photos.indexOf(photo)]
    const isDone = await removePhoto(photo, () => {
      tile.hidden = true
      count(total - 1)
    })
    tile.hidden = isDone
    if (!isDone) return void count(total)
    const index = photos.indexOf(photo)
    photos.splice(index, 1)
    total -= 1
    tile.remove()
    list.children[Math.min(index, photos.length - 1)]?.querySelector('button').focus()
    await changed()
  }
  const add = async () => {
    more.hidden = true
    const {result, total: all} = await run('listPhotos', {
      limit: maxPhotos, ...email ? {email} : {}, ...photos.length ? {before: photos.at(-1).id} : {},
    })
    // Another gallery has taken its place.
    if (!list.isConnected) return
    total = all
    photos.push(...result)
    list.append(...result.map(photo => tile(photo, email, () => view(photos, photo, remove), remove)))
    more.hidden = photos.length >= total
    note.textContent = total ? '' : 'There are no photos.'
    count(total)
  }
  const addMore = () => add().catch(error => { note.textContent = `✗ ${error.message}` })
  more.addEventListener('click', addMore)
  new IntersectionObserver(([{isIntersecting}]) => { if (isIntersecting) addMore() }, {rootMargin: '200px'}).observe(more)
  region.replaceChildren(list, note, more)
  await add()
}

/** Until its picture is there, and where the browser cannot show it, a tile says what it is. */
function tile(photo, email, open, remove) {
  const thumbnail = element('button', {
    type: 'button', class: 'thumbnail', 'aria-label': `Open “${photo.title}”`, onclick: open, 'data-file': fileOf(photo),
  }, `${photo.content_type.replace(/.*\//, '').toUpperCase()}, ${bytes(photo.byte_count)}`)
  visible.observe(thumbnail)
  return element('li', {}, element('figure', {}, thumbnail,
    element('figcaption', {},
      element('span', {class: 'caption'}, photo.title,
        element('span', {class: 'faint'}, email ? timeOfDay(photo.created_at) : photo.email)),
      menu(`“${photo.title}”`, ['Download', () => download(photo)],
        ...email ? [] : [['Show the user', () => { location.hash = addressOf(photo.email) }]],
        ['Delete', () => remove(photo), 'danger']))))
}

// MARK: - The pictures of tiles

/** The tiles in the window whose pictures wait, in the order in which they came there. */
const waiting = new Set()
/** The pictures being loaded, by their tiles. */
const loading = new Map()

const visible = new IntersectionObserver(entries => {
  for (const {target, isIntersecting} of entries) {
    if (isIntersecting) waiting.add(target)
    else cancel(target)
  }
  loadNext()
})

function loadNext() {
  for (const thumbnail of waiting) {
    if (loading.size >= maxLoading) return
    waiting.delete(thumbnail)
    const end = isLoaded => {
      if (loading.get(thumbnail) !== picture) return
      loading.delete(thumbnail)
      visible.unobserve(thumbnail)
      if (isLoaded) thumbnail.append(picture)
      loadNext()
    }
    const picture = element('img', {alt: '', decoding: 'async', onload: () => end(true), onerror: () => end(false)})
    loading.set(thumbnail, picture)
    picture.src = thumbnail.dataset.file
  }
}

/** Makes room for pictures that are in the window: without a source, the browser stops loading. */
function cancel(thumbnail) {
  waiting.delete(thumbnail)
  const picture = loading.get(thumbnail)
  loading.delete(thumbnail)
  picture?.removeAttribute('src')
}

// MARK: - One photo

/** Shows a photo of a list; the arrow keys lead to its neighbors. */
function view(photos, first, remove) {
  let photo = first
  const draw = () => {
    const index = photos.indexOf(photo)
    find('viewer-title').textContent = photo.title
    find('viewer-image').src = fileOf(photo)
    find('viewer-image').alt = photo.title
    find('viewer-facts').textContent =
      `${photo.email}, ${time(photo.created_at)}, ${bytes(photo.byte_count)}, ${photo.content_type}`
    find('viewer-back').disabled = index <= 0
    find('viewer-next').disabled = index >= photos.length - 1
  }
  const go = step => {
    photo = photos[photos.indexOf(photo) + step] ?? photo
    draw()
  }
  const viewer = find('viewer')
  viewer.onkeydown = ({key}) => {
    if (key === 'ArrowLeft') go(-1)
    if (key === 'ArrowRight') go(1)
  }
  find('viewer-back').onclick = () => go(-1)
  find('viewer-next').onclick = () => go(1)
  find('viewer-download').onclick = () => download(photo)
  find('viewer-delete').onclick = () => {
    viewer.close()
    remove(photo)
  }
  find('viewer-close').onclick = () => viewer.close()
  draw()
  viewer.showModal()
}

// MARK: - The photos of all users, or of one

export const showPhotos = () => gallery(find('photos'), {
  email: find('photos-of').value.trim(),
  count: total => { find('photos-total').textContent = counted(total, 'photo') },
})

/** Offers users while an email is typed, and shows the photos of a user who was chosen. */
async function suggest() {
  const search = find('photos-of').value.trim()
  const {result: users} = search ? await run('listUsers', {search, limit: 10}) : {result: []}
  if (search !== find('photos-of').value.trim()) return
  find('photos-users').replaceChildren(...users.map(({email, photos}) =>
    element('option', {value: email}, counted(photos, 'photo'))))
  const isFound = !search || users.some(({email}) => email === search)
  if (isFound) return showPhotos()
  find('photos-total').textContent = users.length ? `${counted(users.length, 'user')} found` : 'No such user'
}

let timer = 0
find('photos-of').addEventListener('input', () => {
  clearTimeout(timer)
  timer = setTimeout(suggest, pause)
})
find('photos-form').addEventListener('submit', event => {
  event.preventDefault()
  // The first one whose address begins so.
  const [user] = find('photos-users').children
  if (user) find('photos-of').value = user.value
  suggest()
})
