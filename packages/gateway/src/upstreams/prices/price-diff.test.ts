import { describe, expect, test } from 'bun:test'
import { type ModelType, modalityOf } from '../../modalities/index.ts'
import { parseDocumentOf } from '../../yaml/document.ts'
import { differences, percentAbove } from './price-diff.ts'

/** As it is written in a file. */
function priced(text: string): unknown {
  const { context, root } = parseDocumentOf(text, 'test', {})
  const price = root && modalityOf(typeOf(text)).readPrice(root)
  if (!price) throw new Error(JSON.stringify(context.mistakes))
  return price
}

const typeOf = (text: string): ModelType =>
  text.includes('per_image') ? 'image' : text.includes('per_') ? 'video' : 'text'

const rows = (yours: string | undefined, list: string) =>
  differences(
    typeOf(list),
    yours === undefined || typeOf(yours) !== typeOf(list) ? undefined : priced(yours),
    priced(list),
  ).map(({ field, yours: own, list: listed, percent }) => [field, own, listed, percent] as const)

const LONG = 'long_context: { above: 200000, input: 4, output: 12 }'

describe('differences', () => {
  test.each<[name: string, yours: string | undefined, list: string, expected: ReturnType<typeof rows>]>([
    ['the same', '{ input: 2.00, output: 8 }', '{ input: 2, output: 8.0 }', []],
    [
      'more expensive and cheaper',
      '{ input: 3, output: 6 }',
      '{ input: 2, output: 8 }',
      [
        ['input', '3.00', '2.00', 50],
        ['output', '6.00', '8.00', -25],
      ],
    ],
    [
      'smaller than the precision of a float',
      '{ input: 2.000000001, output: 8 }',
      '{ input: 2, output: 8 }',
      [['input', '2.000000001', '2.00', 0.1]],
    ],
    [
      'a cache price that is missing is the input price',
      '{ input: 2, output: 8 }',
      '{ input: 2, cached_input: 0.5, output: 8 }',
      [['cached_input', '2.00', '0.50', 300]],
    ],
    [
      'a longer lifetime that is missing costs what the shorter does',
      '{ input: 2, cache_write: 2.5, output: 8 }',
      '{ input: 2, cache_write: 2.5, cache_write_1h: 4, output: 8 }',
      [['cache_write_1h', '2.50', '4.00', -37.5]],
    ],
    [
      'only yours has a price for reasoning',
      '{ input: 2, output: 8, reasoning: 9 }',
      '{ input: 2, output: 8 }',
      [['reasoning', '9.00', '8.00', 12.5]],
    ],
    [
      'no price at all',
      undefined,
      '{ input: 2, output: 8 }',
      [
        ['input', null, '2.00', null],
        ['output', null, '8.00', null],
      ],
    ],
    [
      'free',
      '{ input: 0, output: 0 }',
      '{ input: 2, output: 8 }',
      [
        ['input', '0.00', '2.00', -100],
        ['output', '0.00', '8.00', -100],
      ],
    ],
    [
      'of nothing there is no percentage',
      '{ input: 1, output: 0 }',
      '{ input: 0, output: 0 }',
      [['input', '1.00', '0.00', null]],
    ],
    [
      'a long context without a price costs what a short one does',
      '{ input: 2, output: 8 }',
      `{ input: 2, output: 8, ${LONG} }`,
      [
        ['long_context[200000].input', '2.00', '4.00', -50],
        ['long_context[200000].output', '8.00', '12.00', -33.4],
      ],
    ],
    [
      'each length at which one of them changes',
      `{ input: 2, output: 8, ${LONG.replace('200000', '100000')} }`,
      `{ input: 2, output: 8, ${LONG} }`,
      [
        ['long_context[100000].input', '4.00', '2.00', 100],
        ['long_context[100000].output', '12.00', '8.00', 50],
      ],
    ],
    [
      'multipliers as such',
      '{ input: 3, output: 8, tiers: { priority: 2, flex: 0.5 } }',
      '{ input: 2, output: 8, tiers: { priority: 1.75, flex: 0.5 } }',
      [
        ['input', '3.00', '2.00', 50],
        ['tiers.priority', '2.00', '1.75', 14.3],
      ],
    ],
    [
      'tiers that one of them does not have',
      '{ input: 2, output: 8, tiers: { flex: 0.5 } }',
      '{ input: 2, output: 8, tiers: { priority: 2 } }',
      [
        ['tiers.priority', null, '2.00', null],
        ['tiers.flex', '0.50', null, null],
      ],
    ],
    [
      'a table against a multiplier',
      '{ input: 2, output: 8, tiers: { priority: { input: 4, output: 20 } } }',
      '{ input: 2, output: 8, tiers: { priority: 2 } }',
      [['tiers.priority.output', '20.00', '16.00', 25]],
    ],
    [
      'a table against nothing',
      '{ input: 2, output: 8 }',
      '{ input: 2, output: 8, tiers: { priority: { input: 4, output: 20 } } }',
      [
        ['tiers.priority.input', null, '4.00', null],
        ['tiers.priority.output', null, '20.00', null],
      ],
    ],
    [
      'tools',
      '{ input: 2, output: 8, tools: { web_search: 0.02, file_search: 0.01 } }',
      '{ input: 2, output: 8, tools: { web_search: 0.01, web_fetch: 0 } }',
      [
        ['tools.web_search', '0.02', '0.01', 100],
        ['tools.web_fetch', null, '0.00', null],
        ['tools.file_search', '0.01', null, null],
      ],
    ],
    [
      'images, by what a variant would cost',
      '{ per_image: 0.05, variants: { high: 0.2 } }',
      '{ per_image: 0.04, variants: { 1024x1024/high: 0.16, low: 0.01 } }',
      [
        ['per_image', '0.05', '0.04', 25],
        ['per_image.variants.1024x1024/high', '0.20', '0.16', 25],
        ['per_image.variants.low', '0.05', '0.01', 400],
        ['per_image.variants.high', '0.20', '0.04', 400],
      ],
    ],
    [
      'videos',
      '{ per_second: 0.05 }',
      '{ per_second: 0.05, variants: { 1080p: 0.10 } }',
      [['per_second.variants.1080p', '0.05', '0.10', -50]],
    ],
    [
      'multipliers and tools of videos',
      '{ per_second: 0.1, tiers: { flex: 0.5, fast: 2 }, draft: 0.4, tools: { web_search: 0.01 } }',
      '{ per_second: 0.1, tiers: { flex: 0.6 }, silent: 0.8, tools: { web_search: 0.02 } }',
      [
        ['tiers.flex', '0.50', '0.60', -16.7],
        ['tiers.fast', '2.00', null, null],
        ['draft', '0.40', '1.00', -60],
        ['silent', '1.00', '0.80', 25],
        ['tools.web_search', '0.01', '0.02', -50],
      ],
    ],
    [
      'videos by another unit',
      '{ per_second: 0.05 }',
      '{ per_million_tokens: 2.4 }',
      [
        ['per_million_tokens', null, '2.40', null],
        ['per_second', '0.05', null, null],
      ],
    ],
    [
      'a video model with the price of a text model',
      '{ input: 2, output: 8 }',
      '{ per_million_tokens: 2.4 }',
      [['per_million_tokens', null, '2.40', null]],
    ],
  ])('%s', (_, yours, list, expected) => expect(rows(yours, list)).toEqual(expected))
})

test('percentages have one decimal and never hide a difference', () => {
  const cases: [yours: bigint, list: bigint, percent: number | null][] = [
    ...([
      [2n, 2n, 0],
      [1n, 3n, -66.7],
      [4n, 3n, 33.4],
      [1_000_001n, 1_000_000n, 0.1],
    ] as [bigint, bigint, number][]),
    ...([
      [999_999n, 1_000_000n, -0.1],
      [0n, 5n, -100],
      [5n, 0n, null],
      [0n, 0n, null],
    ] as [bigint, bigint, number | null][]),
  ]
  for (const [yours, list, percent] of cases) expect(percentAbove(yours, list)).toBe(percent)
})
