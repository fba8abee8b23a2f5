// Finds the parts of the documentation that a query is about: words in a title count most, then in a heading, then in the text. Pure.
// The time is linear in the text and in the length of the query, which is bounded.

import { ENGLISH_OF } from './chinese-words.ts'
import type { Section } from './sections.ts'

export const MOST_CHARACTERS = 100
const MOST_WORDS = 12
const MOST_RESULTS = 20
const MOST_OF_ONE_PAGE = 3
/** Characters of the text that a result shows, before the first word that was found and in all. */
const SNIPPET = { before: 50, all: 180 }

export type Result = Omit<Section, 'text'> & {
  /** The text around what was found, which is marked. */
  parts: readonly { text: string; isFound: boolean }[]
}

/** Any of the patterns finds the word; `exact` is the word as it was typed. */
type Word = { patterns: readonly RegExp[]; exact: RegExp }

const SILENT =
  /^(?:a|an|and|are|be|can|do|does|for|from|how|i|in|is|it|my|of|on|or|that|the|to|what|when|where|which|who|why|with|you|your)$/
const SILENT_CHINESE = /怎么样?|如何|什么|为什么|哪里|可以|我的?|的|吗|呢|了|是|在/g
const CHINESE = /\p{Script=Han}+/gu

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
/** At the beginning of a word. */
const beginning = (text: string): RegExp => new RegExp(`(?<![\\p{L}\\p{N}])${escaped(text)}`, 'giu')
/** `keys` finds `key`, `billing` finds `billed`. */
const stem = (word: string): string => {
  const [, long, short] = /^(?:([a-z]{4,})(?:ies|ing)|([a-z]{3,}?)e?s)$/.exec(word) ?? []
  return long ?? short ?? word
}

function wordsOf(query: string): Word[] {
  const text = query.slice(0, MOST_CHARACTERS).toLowerCase()
  const latin = text
    .replace(CHINESE, ' ')
    .split(/\s+/)
    .map((each) => each.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter((each) => each !== '')
  const telling = latin.filter((each) => !SILENT.test(each))
  const chinese = text.match(CHINESE)?.flatMap(chineseWords) ?? []
  const said = telling.length + chinese.length > 0 ? telling : latin
  return [...said.map(latinWord), ...chinese].slice(0, MOST_WORDS)
}

const latinWord = (word: string): Word => ({
  patterns: [beginning(stem(word))],
  exact: new RegExp(`(?<![\\p{L}\\p{N}])${escaped(word)}(?![\\p{L}\\p{N}])`, 'iu'),
})

const KNOWN = new RegExp(
  `(${Object.keys(ENGLISH_OF)
    .sort((a, b) => b.length - a.length)
    .join('|')})`,
)

/** Chinese has no spaces: known words first, and the rest by its pairs of characters. */
function chineseWords(run: string): Word[] {
  return run
    .replace(SILENT_CHINESE, ' ')
    .split(/\s+/)
    .flatMap((each) => each.split(KNOWN))
    .filter((each) => each !== '')
    .flatMap((each) => {
      const english = ENGLISH_OF[each]
      const exact = new RegExp(escaped(each), 'u')
      if (english !== undefined) return [{ patterns: [new RegExp(each, 'gu'), beginning(english)], exact }]
      if (each.length <= 2) return [{ patterns: [new RegExp(each, 'gu')], exact }]
      const pairs = Array.from({ length: each.length - 1 }, (_, at) => each.slice(at, at + 2))
      return pairs.map((pair) => ({ patterns: [new RegExp(pair, 'gu')], exact }))
    })
}

const isIn = ({ patterns }: Word, text: string): boolean => patterns.some((pattern) => text.search(pattern) >= 0)

/** How much a word says about a part; 0: it is not in it. */
function weightOf(word: Word, { page, title, heading, text }: Section): number {
  // The title is said of the whole page: its beginning is shown before its parts.
  const byTitle =
    isIn(word, title) || isIn(word, page) ? (heading === '' ? 12 : 4) + (word.exact.test(title) ? 4 : 0) : 0
  const byHeading = isIn(word, heading) ? 8 + (word.exact.test(heading) ? 4 : 0) : 0
  const times = Math.max(...word.patterns.map((pattern) => text.match(pattern)?.length ?? 0))
  return byTitle + byHeading + (times === 0 ? 0 : 1 + Math.min(times, 6) / 4)
}

/** What most readers look for is in the pages by task. */
const FACTORS: Readonly<Record<string, number>> = { README: 0.5, contribute: 0.5, migrate: 0.8, reference: 0.75 }

function factorOf({ page }: Section, language: string): number {
  const [folder = ''] = page.split('/')
  const isChinese = page.endsWith('.zh-CN')
  return (FACTORS[folder] ?? 1) * (isChinese === (language === 'zh') ? 1.5 : 1)
}

/** Best first. Parts have all words, or as many as any has, but at least half of them. */
export function find(sections: readonly Section[], query: string, language: string): Result[] {
  const words = wordsOf(query)
  if (words.length === 0) return []
  const rated = sections.flatMap((section) => {
    const weights = words.map((word) => weightOf(word, section)).filter((weight) => weight > 0)
    const score = weights.reduce((sum, weight) => sum + weight, 0) * factorOf(section, language)
    return weights.length * 2 >= words.length && weights.length > 0 ? [{ section, score, count: weights.length }] : []
  })
  const most = Math.max(...rated.map(({ count }) => count))
  const ofPage = new Map<string, number>()
  return rated
    .filter(({ count }) => count === most)
    .sort((a, b) => b.score - a.score)
    .filter(({ section: { page } }) => {
      const former = ofPage.get(page) ?? 0
      ofPage.set(page, former + 1)
      return former < MOST_OF_ONE_PAGE
    })
    .slice(0, MOST_RESULTS)
    .map(({ section: { text, ...section } }) => ({ ...section, parts: partsOf(text, words) }))
}

/** The whole word is marked. Chinese words have no end. */
const toItsEnd = ({ source, flags }: RegExp): string => (flags.includes('i') ? `${source}[\\p{L}\\p{N}]*` : source)

/** No word is cut, unless it is as long as a sentence, as in Chinese. */
const wordEnd = (text: string, end: number): number => {
  const space = text.lastIndexOf(' ', end)
  return end >= text.length || end - space > 20 ? end : space
}

function partsOf(text: string, words: readonly Word[]): Result['parts'] {
  const patterns = words.flatMap((word) => word.patterns)
  const first = Math.min(...patterns.map((pattern) => text.search(pattern)).filter((at) => at >= 0), text.length)
  const at = first === text.length ? 0 : text.lastIndexOf(' ', Math.max(0, first - SNIPPET.before)) + 1
  const end = wordEnd(text, at + SNIPPET.all)
  const shown = `${at > 0 ? '… ' : ''}${text.slice(at, end)}${end < text.length ? ' …' : ''}`
  const found = new RegExp(`(${patterns.map(toItsEnd).join('|')})`, 'giu')
  return shown.split(found).flatMap((part, index) => (part === '' ? [] : [{ text: part, isFound: index % 2 === 1 }]))
}
