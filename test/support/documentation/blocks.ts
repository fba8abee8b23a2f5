// The blocks of code on the pages of the documentation, with the marks above them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dir, '../../..')

/**
 * `notRun`: why. `checkedBy`: the test that runs it instead. `isUsed`: the gateway of the page has this configuration. `vendorKey`: it is
 * started with this variable, and the vendor's API is at hand.
 */
export type Mark = { notRun: string } | { checkedBy: string } | { isUsed: true } | { vendorKey: string } | undefined

export type Block = {
  page: string
  line: number
  language: string
  code: string
  mark: Mark
  /** Nothing but blank lines is between it and the block before. */
  isBelow: boolean
}

/** The pages that people read; decisions tell of the past and are not run. */
export const pagesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('decisions'))
    .map((name) => join(folder, name))
    .sort()

export const readPage = (page: string): string => readFileSync(join(ROOT, page), 'utf8')

/** Blocks in lists are indented by as much as their fence. */
export function blocksOf(page: string, text = readPage(page)): Block[] {
  const lines = text.split('\n')
  const blocks: Block[] = []
  let previousEnd = -1
  for (let index = 0; index < lines.length; index++) {
    const [, indent = '', fence, language = ''] = /^(\s*)(```+)(\S*)/.exec(lines[index] ?? '') ?? []
    if (fence === undefined) continue
    const begin = index + 1
    while (++index < lines.length && (lines[index] ?? '').trim() !== fence);
    const before = lines.slice(previousEnd + 1, begin - 1)
    const above = before.findLast((line) => line.trim() !== '')?.trim() ?? ''
    const between = before.filter((line) => line.trim() !== '' && !line.includes('<!--'))
    blocks.push({
      page,
      line: begin,
      language,
      code: lines
        .slice(begin, index)
        .map((line) => line.slice(indent.length))
        .join('\n'),
      mark: markIn(above),
      isBelow: blocks.length > 0 && between.length === 0,
    })
    previousEnd = index
  }
  return blocks
}

function markIn(line: string): Mark {
  const [, comment = ''] = /^<!-- (.+) -->$/.exec(line) ?? []
  const [, kind, value = ''] = /^(not run|checked by|started with): (.+)$/.exec(comment) ?? []
  if (kind === 'not run') return { notRun: value }
  if (kind === 'checked by') return { checkedBy: value }
  if (kind === 'started with') return { vendorKey: value }
  return comment === 'run with this configuration' ? { isUsed: true } : undefined
}
