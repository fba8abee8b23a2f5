// The table `options`: what was changed in the program. Values may be secrets, so that no message repeats one.
import type { Findings, Grade } from '../findings.ts'
import { booleanOf, type JsonObject, listOf, objectOf, textOf } from '../sources/fields.ts'
import type { SourceDatabase } from '../sources/source-database.ts'
import { type Exact, exactOf, inNanos, over, times, whole } from './exact.ts'

export type Options = {
  text(name: string): string | undefined
  flag(name: string): boolean | undefined
  /** An object of numbers by name; undefined: not stored, so that the program has its own. */
  figures(name: string): ReadonlyMap<string, Exact> | undefined
  object(name: string): JsonObject | undefined
  list(name: string): readonly string[] | undefined
  /** Quota units for a USD. */
  unitsPerUsd: Exact
}

/** The first whose pattern fits says what becomes of an option. */
export type OptionRule = readonly [pattern: RegExp, grade: Grade, says?: string]

const MOST_OPTIONS = 5_000
const UNITS_PER_USD = whole(500_000)

export async function readOptions(
  database: SourceDatabase,
  rules: readonly OptionRule[],
  findings: Findings,
): Promise<Options> {
  const values = new Map<string, string>()
  for await (const row of database.rows('options', ['key'])) {
    const [name, value] = [textOf(row.key), textOf(row.value)]
    if (name === undefined || value === undefined) continue
    if (values.size >= MOST_OPTIONS) {
      findings.add('options', 'manual', `More than ${MOST_OPTIONS} options are not read.`)
      break
    }
    values.set(name, value)
    const [, grade, says] = rules.find(([pattern]) => pattern.test(name)) ?? [0, 'manual' as const, UNKNOWN_OPTION]
    findings.add(`options.${name}`, grade, says)
  }
  const wrong = (name: string, expected: string): undefined => {
    findings.add(`options.${name}`, 'manual', `This is not ${expected}. The program's own value is taken.`)
  }
  const object = (name: string): JsonObject | undefined => {
    const value = values.get(name)
    if (value === undefined || value.trim() === '') return undefined
    return objectOf(value) ?? wrong(name, 'a JSON object')
  }
  const unitsPerUsd = values.has('QuotaPerUnit') ? exactOf(values.get('QuotaPerUnit')) : UNITS_PER_USD
  if (!unitsPerUsd || unitsPerUsd.n === 0n) wrong('QuotaPerUnit', 'a number above 0')
  return {
    text: (name) => values.get(name),
    flag: (name) => booleanOf(values.get(name)),
    object,
    list: (name) => (values.has(name) ? (listOf(values.get(name)) ?? wrong(name, 'a list of texts')) : undefined),
    figures(name) {
      const found = object(name)
      if (!found) return undefined
      const entries = Object.entries(found).map(([key, value]) => [key, numberOf(value)] as const)
      const bad = entries.filter(([, value]) => value === undefined)
      for (const [key] of bad) findings.add(`options.${name}`, 'manual', 'This is not a number of 0 or more.', key)
      return new Map(entries.flatMap(([key, value]) => (value ? [[key, value] as const] : [])))
    },
    unitsPerUsd: unitsPerUsd && unitsPerUsd.n > 0n ? unitsPerUsd : UNITS_PER_USD,
  }
}

export const UNKNOWN_OPTION = 'This option is not known. It is not read.'
export const numberOf = (value: unknown): Exact | undefined => (typeof value === 'number' ? exactOf(value) : undefined)

export const usdOf = (units: bigint | number, { unitsPerUsd }: Options): Exact => over(whole(units), unitsPerUsd)
export const nanosOfUnits = (units: bigint | number, options: Options) => inNanos(usdOf(units, options))

/** USD per million tokens of ratio 1, which is one unit for a token. */
export const perMillion = (ratio: Exact, { unitsPerUsd }: Options): Exact =>
  over(times(ratio, whole(1_000_000)), unitsPerUsd)
