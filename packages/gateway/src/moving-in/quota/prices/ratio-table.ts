// The default ratios of the programs, which are kept as lines of text: a ratio, and the names that have it.
import { parse } from 'yaml'
import { type Exact, exactOf, ONE } from '../exact.ts'

const linesOf = (text: string): string[][] =>
  text
    .split('\n')
    .map((line) => line.split(' ').filter((word) => word !== ''))
    .filter((words) => words.length > 0)

export const namesIn = (text = ''): string[] => linesOf(text).flat()

/** The lists of a file, by their names. */
export const ratioLists = (source: string) => parse(source) as Readonly<Record<string, string>>

export const ratioTable = (text = ''): ReadonlyMap<string, Exact> =>
  new Map(linesOf(text).flatMap(([ratio, ...names]) => names.map((name) => [name, figure(ratio)] as const)))

/** `wins`: over what the options have. */
export type OutputRule = { fits(name: string): boolean; ratio: Exact; wins: boolean }

/** In order of precedence: the texts are explained where the rules are. */
export const outputRules = (text = ''): readonly OutputRule[] =>
  linesOf(text).flatMap(([ratio = '', ...patterns]) =>
    patterns.map((pattern) => ({
      fits: fitting(pattern),
      ratio: figure(ratio.replace('!', '')),
      wins: ratio.endsWith('!'),
    })),
  )

function fitting(pattern: string): (name: string) => boolean {
  if (pattern.startsWith('=')) return (name) => name === pattern.slice(1)
  if (pattern.startsWith('*')) return (name) => name.includes(pattern.slice(1))
  const [start = '', end = ''] = pattern.split('$')
  return (name) => name.startsWith(start) && name.endsWith(end)
}

const figure = (text = ''): Exact => exactOf(text) ?? ONE
