// The parts of a page that the search of the documentation finds: what is below each heading, as plain text. Pure.

import { anchorOf } from './addresses.ts'

/** `anchor` is empty for what is above the first heading of the page. */
export type Section = { page: string; title: string; heading: string; anchor: string; text: string }

const FENCE = /^\s*(?:```|~~~)/
const HEADING = /^#{1,6} +(.+)$/
/** Notes for tests, and the lines between the head of a table and its rows. */
const SILENT = /^(?:<!--.*-->|[|:\s-]*\|[|:\s-]*|\s*(?:```|~~~).*|!\[.*)$/

const plain = (markdown: string): string =>
  markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`|]|\*\*/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

export function sectionsOf(page: string, markdown: string): Section[] {
  const found: { heading: string; lines: string[] }[] = [{ heading: '', lines: [] }]
  let title: string | undefined
  let isCode = false
  for (const line of markdown.split('\n')) {
    if (FENCE.test(line)) isCode = !isCode
    const heading = isCode ? undefined : HEADING.exec(line)?.[1]
    if (heading !== undefined && title === undefined) title = heading
    else if (heading !== undefined) found.push({ heading, lines: [] })
    else if (!SILENT.test(line)) found.at(-1)?.lines.push(line)
  }
  return found.map(({ heading, lines }) => ({
    page,
    title: plain(title ?? page),
    heading: plain(heading),
    anchor: anchorOf(heading),
    text: plain(lines.join('\n')),
  }))
}
