// Billing expressions, as far as they are prices for tokens: sums of counts times figures, in tiers by the length of the input.
// Whatever else an expression may contain is not guessed.
import { type Exact, exactOf, NONE, times } from '../quota/exact.ts'
import type { Figures, LongFigures, TokenFigures } from '../quota/prices/figures.ts'

export const TOO_MUCH =
  'The billing expression depends on more than the number of tokens and the length of the input. Give the model a price.'

/** Undefined counts are at the price of input or output, as they are there. */
const COUNTS: Readonly<Record<string, string>> = {
  p: 'input',
  c: 'output',
  cr: 'cached_input',
  cc: 'cache_write',
  cc1h: 'cache_write_1h',
  img: 'image_input',
  ai: 'audio_input',
  ao: 'audio_output',
  img_o: 'image_output',
}

type Leaf = TokenFigures | { perCall: Exact }
/** `above`: of the input, in tokens. */
type Range = { above: number; leaf: Leaf }

export function expressionFigures(text: string): Figures {
  const words = wordsOf(text.trim().replace(/^v1:/, ''))
  const ranges = words && readTree({ words, at: 0 })
  const [first, ...more] = ranges ?? []
  if (!first) return { by: 'rule', says: TOO_MUCH }
  if ('perCall' in first.leaf)
    return more.length === 0 ? { by: 'call', usd: first.leaf.perCall } : { by: 'rule', says: TOO_MUCH }
  const long = more.flatMap(({ above, leaf }): LongFigures[] => ('perCall' in leaf ? [] : [{ above, figures: leaf }]))
  return long.length === more.length ? { by: 'tokens', figures: first.leaf, long } : { by: 'rule', says: TOO_MUCH }
}

const WORD = /\s*(?:("(?:[^"\\]|\\.)*")|(\d+(?:\.\d+)?(?:e[+-]?\d+)?)|([A-Za-z_]\w*)|(<=|>=|[-<>?:()*+,/|]))/y
const LONGEST = 10_000

function wordsOf(text: string): string[] | undefined {
  if (text.length > LONGEST) return undefined
  const words: string[] = []
  WORD.lastIndex = 0
  while (WORD.lastIndex < text.length) {
    const match = WORD.exec(text)
    if (!match) return undefined
    words.push(match[0].trim())
  }
  return words
}

type Cursor = { words: readonly string[]; at: number }
const take = (cursor: Cursor, ...expected: readonly string[]): boolean =>
  expected.every((word) => cursor.words[cursor.at++] === word)

/** The whole text: ranges in order, the first from 0 on. */
function readTree(cursor: Cursor): Range[] | undefined {
  const ranges = readBranch(cursor, { above: 0, most: Number.POSITIVE_INFINITY })
  return cursor.at === cursor.words.length ? ranges?.sort((one, other) => one.above - other.above) : undefined
}

type Bounds = { above: number; most: number }

function readBranch(cursor: Cursor, { above, most }: Bounds): Range[] | undefined {
  const { words, at } = cursor
  if (words[at] === '(') {
    cursor.at += 1
    const inner = readBranch(cursor, { above, most })
    return inner && take(cursor, ')') ? inner : undefined
  }
  if (words[at] !== 'len') {
    const leaf = readTier(cursor)
    return leaf && (above < most ? [{ above, leaf }] : [])
  }
  const [operator = '', number = '', question] = words.slice(at + 1, at + 4)
  const limit = /^\d+$/.test(number) ? Number(number) - (operator === '<' || operator === '>=' ? 1 : 0) : undefined
  if (limit === undefined || question !== '?' || !/^[<>]=?$/.test(operator)) return undefined
  cursor.at += 4
  const isShortFirst = operator.startsWith('<')
  const short = { above, most: Math.min(most, limit) }
  const long = { above: Math.max(above, limit), most }
  const first = readBranch(cursor, isShortFirst ? short : long)
  if (!first || !take(cursor, ':')) return undefined
  const second = readBranch(cursor, isShortFirst ? long : short)
  return second && [...first, ...second]
}

/** `tier("name", p * 2 + c * 8)` */
function readTier(cursor: Cursor): Leaf | undefined {
  if (!take(cursor, 'tier', '(') || !cursor.words[cursor.at++]?.startsWith('"') || !take(cursor, ',')) return undefined
  if (cursor.words[cursor.at] === 'fixed') {
    cursor.at += 1
    if (!take(cursor, '(')) return undefined
    const perCall = exactOf(cursor.words[cursor.at++])
    return perCall && take(cursor, ')', ')') ? { perCall } : undefined
  }
  const figures = new Map<string, Exact>()
  do {
    const term = readTerm(cursor)
    if (!term || figures.has(term.name)) return undefined
    figures.set(term.name, term.figure)
  } while (cursor.words[cursor.at++] === '+')
  if (cursor.words[cursor.at - 1] !== ')') return undefined
  return { input: NONE, output: NONE, ...Object.fromEntries(figures) }
}

/** One count, times any number of figures. */
function readTerm(cursor: Cursor): { name: string; figure: Exact } | undefined {
  let name: string | undefined
  const factors: Exact[] = []
  do {
    const word = cursor.words[cursor.at++] ?? ''
    const factor = /^\d/.test(word) ? exactOf(word) : undefined
    if (factor) factors.push(factor)
    else if (name === undefined && Object.hasOwn(COUNTS, word)) name = COUNTS[word]
    else return undefined
  } while (cursor.words[cursor.at] === '*' && cursor.at++ >= 0)
  return name === undefined ? undefined : { name, figure: times(...factors) }
}
