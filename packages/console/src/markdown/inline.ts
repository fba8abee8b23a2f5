// What stands within a line of Markdown: emphasis, code, links and images. One pass over the text, which needs time linear in its
// length whatever a model wrote, and a bounded number of elements.

export type Inline =
  | string
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'emphasis' | 'strike'; children: Inline[] }
  | { kind: 'link'; text: string; href: string }
  | { kind: 'image'; alt: string; src: string }
  | { kind: 'break' }

type Marker = '**' | '__' | '*' | '_' | '~~'
type Frame = { marker: Marker | undefined; children: Inline[] }

const STYLES = { '**': 'strong', __: 'strong', '*': 'emphasis', _: 'emphasis', '~~': 'strike' } as const

const MOST_ELEMENTS = 2_000
const SPECIAL = /[\\`*_~[!<\n]|https?:\/\//g
// Repetitions are bounded, and classes exclude what follows them: no input takes quadratic time.
const LINK =
  /\[([^[\]]{1,500})\]\([ \t]*<?([^\s()<>]{1,4000}(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,200})?)>?(?:[ \t]+"[^"\n]{0,300}")?[ \t]*\)/y
const IMAGE = /!\[([^[\]]{0,500})\]\([ \t]*<?([^\s()<>]+)>?(?:[ \t]+"[^"\n]{0,300}")?[ \t]*\)/y
const AUTOLINK = /<(https?:\/\/[^\s<>]{1,4000})>/y
const BARE = /https?:\/\/[^\s<>"'`()[\]{}*|\\]{1,4000}/y
const BREAK = /<br ?\/?>/iy

export function parseInline(text: string): Inline[] {
  const frames: Frame[] = [{ marker: undefined, children: [] }]
  const codes = codeSpans(text)
  let at = 0
  let elements = 0
  const add = (item: Inline) => append(frames.at(-1)?.children ?? [], item)
  while (at < text.length) {
    SPECIAL.lastIndex = at
    const found = elements > MOST_ELEMENTS ? null : SPECIAL.exec(text)
    const from = found?.index ?? text.length
    if (from > at) add(text.slice(at, from))
    at = from
    if (!found) break
    elements++
    const character = text[at] ?? ''
    if (character === '*' || character === '_' || character === '~') {
      at = emphasis(text, at, frames)
      continue
    }
    const [item, end] = itemAt(text, at, codes)
    add(item)
    at = end
  }
  while (frames.length > 1) dissolve(frames)
  return frames[0]?.children ?? []
}

/** The item at a special character, and where the text goes on. */
function itemAt(text: string, at: number, codes: (at: number) => [string, number] | undefined): [Inline, number] {
  const character = text[at] ?? ''
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at
    return pattern.exec(text)
  }
  if (character === '\n') return [{ kind: 'break' }, at + 1]
  if (character === '\\') {
    const next = text[at + 1] ?? ''
    return /[!-/:-@[-`{-~]/.test(next) ? [next, at + 2] : ['\\', at + 1]
  }
  if (character === '`') {
    const span = codes(at)
    if (span) return [{ kind: 'code', text: span[0] }, span[1]]
    let end = at
    while (text[end] === '`') end++
    return [text.slice(at, end), end]
  }
  const image = character === '!' ? match(IMAGE) : null
  if (image) return [{ kind: 'image', alt: image[1] ?? '', src: image[2] ?? '' }, at + image[0].length]
  const link = character === '[' ? match(LINK) : null
  if (link) return [{ kind: 'link', text: plain(link[1] ?? ''), href: link[2] ?? '' }, at + link[0].length]
  const auto = character === '<' ? match(AUTOLINK) : null
  if (auto) return [{ kind: 'link', text: auto[1] ?? '', href: auto[1] ?? '' }, at + auto[0].length]
  const line = character === '<' ? match(BREAK) : null
  if (line) return [{ kind: 'break' }, at + line[0].length]
  const bare = character === 'h' && !/\w/.test(text[at - 1] ?? '') ? match(BARE) : null
  if (bare) {
    const url = bare[0].replace(/[.,;:!?]{1,9}$/, '')
    return [{ kind: 'link', text: url, href: url }, at + url.length]
  }
  return [character, at + 1]
}

const plain = (text: string): string => text.replaceAll(/[*`]|\\(?=[!-/:-@[-`{-~])/g, '')

/** Opens or closes styles at a run of `*`, `_` or `~`; what does neither is text. */
function emphasis(text: string, at: number, frames: Frame[]): number {
  const character = text[at] ?? ''
  let end = at
  while (text[end] === character) end++
  const run = end - at
  const [before, after] = [text[at - 1] ?? ' ', text[end] ?? ' ']
  const isWithinWord = character === '_' && /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after)
  const markers = isWithinWord ? [] : markersOf(character, run, frames)
  if (markers.length === 0) append(frames.at(-1)?.children ?? [], text.slice(at, end))
  for (const marker of markers) {
    const open = frames.findLastIndex((frame) => frame.marker === marker)
    if (open > 0 && !/\s/.test(before)) {
      while (frames.length - 1 > open) dissolve(frames)
      const closed = frames.pop()
      append(frames.at(-1)?.children ?? [], { kind: STYLES[marker], children: closed?.children ?? [] })
    } else if (open < 0 && !/\s/.test(after)) {
      frames.push({ marker, children: [] })
    } else {
      append(frames.at(-1)?.children ?? [], marker)
    }
  }
  return end
}

function markersOf(character: string, run: number, frames: readonly Frame[]): Marker[] {
  if (character === '~') return run === 2 ? ['~~'] : []
  const [one, two] = character === '*' ? (['*', '**'] as const) : (['_', '__'] as const)
  if (run === 1) return [one]
  if (run === 2) return [two]
  if (run === 3) return frames.at(-1)?.marker === one ? [one, two] : [two, one]
  return []
}

/** What was opened and never closed is text. */
function dissolve(frames: Frame[]): void {
  const frame = frames.pop()
  const into = frames.at(-1)?.children ?? []
  append(into, frame?.marker ?? '')
  for (const child of frame?.children ?? []) append(into, child)
}

function append(into: Inline[], item: Inline): void {
  const last = into.at(-1)
  if (typeof item === 'string' && typeof last === 'string') into[into.length - 1] = last + item
  else into.push(item)
}

/** Code ends at the next run of as many backticks. A length that was looked for in vain is not looked for again. */
function codeSpans(text: string): (at: number) => [string, number] | undefined {
  const missing = new Set<number>()
  return (at) => {
    let begin = at
    while (text[begin] === '`') begin++
    const length = begin - at
    if (missing.has(length)) return undefined
    let from = text.indexOf('`', begin)
    while (from >= 0) {
      let end = from
      while (text[end] === '`') end++
      if (end - from === length) return [text.slice(begin, from).replaceAll('\n', ' ').trim(), end]
      from = text.indexOf('`', end)
    }
    missing.add(length)
    return undefined
  }
}
