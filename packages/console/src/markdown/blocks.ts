// The blocks of a Markdown text. Models are not trusted: the time is linear in the length of any text, nesting and the number of
// blocks are bounded, and HTML is text like any other.

export type Block =
  | { kind: 'paragraph'; text: string }
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'code'; language: string; code: string }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'list'; start: number | undefined; items: Block[][] }
  | { kind: 'table'; head: string[]; rows: string[][] }
  | { kind: 'rule' }

/** What is nested deeper stays text. */
const MOST_DEPTH = 8
const MOST_BLOCKS = 5_000
const MOST_COLUMNS = 30

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`\s]{0,40})/
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/
const QUOTE = /^ {0,3}> ?/
const ITEM = /^ {0,3}([-*+]|\d{1,9}[.)])(?:[ \t]+|$)/
const DELIMITERS = /^[ \t|:-]+$/

type State = { left: number }

export function parseBlocks(text: string): Block[] {
  return parse(text.replaceAll('\r\n', '\n').split('\n'), 0, { left: MOST_BLOCKS })
}

function parse(lines: readonly string[], depth: number, state: State): Block[] {
  const blocks: Block[] = []
  let at = 0
  while (at < lines.length) {
    if (isBlank(lines[at])) {
      at++
      continue
    }
    if (state.left-- <= 0) {
      blocks.push({ kind: 'paragraph', text: lines.slice(at).join('\n') })
      break
    }
    const [block, next] = blockAt(lines, at, depth, state)
    blocks.push(block)
    at = next
  }
  return blocks
}

/** The block that begins at a line, and the line after it. */
function blockAt(lines: readonly string[], at: number, depth: number, state: State): [Block, number] {
  const line = lines[at] ?? ''
  const fence = FENCE.exec(line)
  if (fence) return code(lines, at, fence)
  const heading = HEADING.exec(line)
  if (heading)
    return [{ kind: 'heading', level: heading[1]?.length ?? 1, text: withoutHashes(heading[2] ?? '') }, at + 1]
  if (RULE.test(line)) return [{ kind: 'rule' }, at + 1]
  if (depth < MOST_DEPTH && QUOTE.test(line)) return quote(lines, at, depth, state)
  if (depth < MOST_DEPTH && ITEM.test(line)) return list(lines, at, depth, state)
  if (isTable(lines, at)) return table(lines, at)
  let end = at + 1
  while (end < lines.length && !isBlank(lines[end]) && !beginsBlock(lines, end, depth)) end++
  return [{ kind: 'paragraph', text: lines.slice(at, end).join('\n').trim() }, end]
}

const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === ''

function beginsBlock(lines: readonly string[], at: number, depth: number): boolean {
  const line = lines[at] ?? ''
  if (FENCE.test(line) || HEADING.test(line) || RULE.test(line) || isTable(lines, at)) return true
  return depth < MOST_DEPTH && (QUOTE.test(line) || ITEM.test(line))
}

function withoutHashes(text: string): string {
  let end = text.length
  while (text[end - 1] === '#') end--
  return (end === 0 || /[ \t]/.test(text[end - 1] ?? ' ') ? text.slice(0, end) : text).trim()
}

/** Without its end, as in a stream, the code reaches to the end of the text. */
function code(lines: readonly string[], at: number, [, marks = '', language = '']: RegExpExecArray): [Block, number] {
  let end = at + 1
  while (end < lines.length && !closes(lines[end] ?? '', marks)) end++
  return [{ kind: 'code', language, code: lines.slice(at + 1, end).join('\n') }, end + 1]
}

function closes(line: string, marks: string): boolean {
  const text = line.trim()
  return text.length >= marks.length && text === (marks[0] ?? '').repeat(text.length)
}

function quote(lines: readonly string[], at: number, depth: number, state: State): [Block, number] {
  let end = at
  while (end < lines.length && QUOTE.test(lines[end] ?? '')) end++
  const inner = lines.slice(at, end).map((line) => line.replace(QUOTE, ''))
  return [{ kind: 'quote', blocks: parse(inner, depth + 1, state) }, end]
}

function list(lines: readonly string[], at: number, depth: number, state: State): [Block, number] {
  const marker = ITEM.exec(lines[at] ?? '')?.[1] ?? '-'
  const isNumbered = /\d/.test(marker)
  const items: string[][] = []
  let end = at
  while (end < lines.length) {
    const line = lines[end] ?? ''
    const item = RULE.test(line) ? null : ITEM.exec(line)
    if (item && /\d/.test(item[1] ?? '') === isNumbered && indentOf(line) < 2 + indentOf(lines[at] ?? '')) {
      items.push([line.slice(item[0].length)])
    } else if (isBlank(line)) {
      // Blank lines belong to the list if it goes on after them.
      if (!continues(lines, end + 1)) break
      items.at(-1)?.push('')
    } else if (indentOf(line) < 2 && (isBlank(lines[end - 1]) || beginsBlock(lines, end, depth))) {
      break
    } else {
      items.at(-1)?.push(line)
    }
    end++
  }
  const start = isNumbered ? Number.parseInt(marker, 10) : undefined
  return [{ kind: 'list', start, items: items.map((each) => parse(dedented(each), depth + 1, state)) }, end]
}

function continues(lines: readonly string[], from: number): boolean {
  const next = lines[from] ?? ''
  return !isBlank(next) && (indentOf(next) >= 2 || ITEM.test(next))
}

const indentOf = (line: string): number => {
  let count = 0
  while (line[count] === ' ' || line[count] === '\t') count++
  return line.startsWith('\t') ? Math.max(count, 4) : count
}

/** The lines after the first, by the step that the writer chose: that of the first of them. */
function dedented([first = '', ...rest]: readonly string[]): string[] {
  const step = Math.min(4, indentOf(rest.find((line) => !isBlank(line)) ?? ''))
  return [
    first,
    ...rest.map((line) => (line.startsWith('\t') ? line.slice(1) : line.slice(Math.min(step, indentOf(line))))),
  ]
}

function isTable(lines: readonly string[], at: number): boolean {
  const [head = '', below = ''] = [lines[at], lines[at + 1]]
  return head.includes('|') && below.includes('|') && below.includes('-') && DELIMITERS.test(below)
}

function table(lines: readonly string[], at: number): [Block, number] {
  const head = cells(lines[at] ?? '')
  let end = at + 2
  while (end < lines.length && (lines[end] ?? '').includes('|')) end++
  const rows = lines.slice(at + 2, end).map((line) => {
    const row = cells(line)
    return head.map((_, column) => row[column] ?? '')
  })
  return [{ kind: 'table', head, rows }, end]
}

const cells = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/, MOST_COLUMNS)
    .map((cell) => cell.replaceAll('\\|', '|').trim())
