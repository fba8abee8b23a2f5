import { expect, test } from 'bun:test'
import { combineCharges, combineMediaCharges } from './combine-charges.ts'
import type { Charge } from './price.ts'
import { priceText, recompute } from './receipt.ts'

const ONE = 1_000_000n
const PLAIN = '"input":"1000000001","output":"4000000000"'
const charge = (input: number, output: number, figures = PLAIN): Charge => ({
  cost: 0n,
  units: `"input":${input},"output":${output}`,
  figures,
})

/** What the receipt of these charges gives. */
function recomputed(charges: readonly Charge[], multiplier: bigint): bigint {
  const units = JSON.parse(`{${charges.map((each) => each.units).join(',')}}`)
  return recompute({ units, price: JSON.parse(priceText('v', charges, multiplier)) })
}

const LONG = '"input":"2000000000","output":"4000000000","long_context_above":1000'
const PRIORITY = '"input":"1000000001","output":"4000000000","tiers_millionths":{"priority":"1500000"}'

const ROWS: [string, [Charge, bigint][], bigint, string[]][] = [
  [
    'calls at one price are one line',
    [
      [charge(1, 2), ONE],
      [charge(3, 4), ONE],
    ],
    ONE,
    ['"input":4,"output":6'],
  ],
  [
    'another price is another line',
    [
      [charge(1, 2), ONE],
      [charge(3_000, 4, LONG), ONE],
      [charge(5, 6), ONE],
    ],
    ONE,
    ['"input":6,"output":8', '"input_2":3000,"output_2":4'],
  ],
  [
    'a tier applies to its own line',
    [
      [charge(1, 2), ONE],
      [charge(7, 7, PRIORITY), ONE],
    ],
    ONE,
    ['"input":1,"output":2', '"input_2":7,"output_2":7'],
  ],
  [
    "a line with the receipt's multiplier comes first",
    [
      [charge(1, 2), ONE],
      [charge(3, 4), 500_000n],
    ],
    500_000n,
    ['"input":3,"output":4', '"input_2":1,"output_2":2'],
  ],
]

test.each(ROWS)('%s, and the receipt gives their cost', (_, charges, multiplier, units) => {
  const all = charges.map(([charge, multiplierMillionths]) => ({ charge, multiplierMillionths }))
  const combined = combineCharges(all, multiplier)
  expect(combined.map((each) => each.units)).toEqual(units)
  const cost = combined.reduce((sum, each) => sum + each.cost, 0n)
  expect(cost).toBeGreaterThan(0n)
  expect(recomputed(combined, multiplier)).toBe(cost)
})

test('a line says its multiplier where it is not that of the receipt', () => {
  const at = (figures: string, multiplierMillionths: bigint) => ({
    charge: charge(1, 1, figures),
    multiplierMillionths,
  })
  const combined = combineCharges([at(PLAIN, ONE), at(LONG, ONE), at(PLAIN, 500_000n)], ONE)
  expect(combined.map(({ figures }) => figures)).toEqual([
    PLAIN,
    '"input_2":"2000000000","output_2":"4000000000","long_context_above_2":1000',
    '"input_3":"1000000001","output_3":"4000000000","multiplier_millionths_3":"500000"',
  ])
})

test('what is rounded is the sum', () => {
  // Each costs a fraction above 1,000 nano-USD.
  const [combined] = combineCharges(
    [1, 1, 1].map((input) => ({ charge: charge(input, 0), multiplierMillionths: ONE })),
    ONE,
  )
  expect(combined?.cost).toBe(3_001n)
})

const media = (units: string, figures: string): Charge => ({ cost: 0n, units, figures })
const image = (figure: string) => media('"images":1', `"per_image":"${figure}"`)
const tokens = (output: number, input?: number) =>
  input === undefined
    ? media(`"image_output_tokens":${output}`, '"per_million_image_output_tokens":"30000000001"')
    : media(
        `"image_input_tokens":${input},"image_output_tokens":${output}`,
        '"per_million_image_input_tokens":"8000000000","per_million_image_output_tokens":"30000000001"',
      )
const MEDIA: [string, Charge[], bigint, string, bigint][] = [
  ['images at one price are one line', [image('3'), image('3')], 500_000n, '"images":2', 3n],
  ['another price is another line', [image('3'), image('5'), image('3')], ONE, '"images":2,"images_2":1', 11n],
  [
    'tokens of the same kind are added, and rounded once',
    [tokens(100), tokens(50, 20), tokens(1)],
    ONE,
    '"image_output_tokens":151,"image_input_tokens":20',
    4_690_001n,
  ],
]

test.each(MEDIA)('media: %s', (_, charges, multiplier, units, cost) => {
  const combined = combineMediaCharges(charges, multiplier)
  expect([combined.units, combined.cost]).toEqual([units, cost])
  expect(recomputed([combined], multiplier)).toBe(cost)
})
