// Which models the model square shows, in which order, and how it compares and lists prices.
import { describe, expect, test } from 'bun:test'
import type { ModelRow } from '../../packages/console/src/api/types.ts'
import { chosenModels, FILTERS, type Filters, vendorsOf } from '../../packages/console/src/pages/models/choose.ts'
import { preferredModels } from '../../packages/console/src/pages/models/preferred.ts'
import { priceBlocks } from '../../packages/console/src/pages/models/price-lines.ts'
import { differs, labelOf, unitsOf, usualOf } from '../../packages/console/src/pages/models/prices.ts'

/** `speech` is a type that the console has no texts for. */
const COMPARED_BY: Readonly<Record<string, string[]>> = {
  text: ['output'],
  image: ['per_image', 'image_output'],
  video: ['per_second'],
  speech: ['per_million_characters'],
}

const model = (id: string, type: ModelRow['type'], ...prices: Record<string, unknown>[]): ModelRow => ({
  id,
  type,
  compared_by: COMPARED_BY[type] ?? [],
  vendor: null,
  limits: {},
  protocols: [],
  capabilities: null,
  median_first_token_ms: null,
  healthy: true,
  prices: prices.map((price, index) => ({ group: `group-${index}`, price })),
})
const MODELS: readonly ModelRow[] = [
  {
    ...model('gpt-b', 'text', { input: '2.00', output: '8.00' }, { input: '1.00', output: '4.00' }),
    vendor: 'OpenAI',
    capabilities: ['images', 'tools'],
    limits: { context: 1_000 },
    median_first_token_ms: 300,
  },
  {
    ...model('claude-a', 'text', { input: '3.00', output: '15.00' }),
    vendor: 'Anthropic',
    capabilities: ['images', 'tools', 'reasoning'],
    limits: { context: 9_000 },
  },
  { ...model('own-c', 'text', { input: '0.00', output: '0.00' }), median_first_token_ms: 20 },
  { ...model('plain-d', 'text', { input: '9.00', output: '90.00' }), capabilities: [] },
  { ...model('paint', 'image', { per_image: '0.04', variants: { high: '0.20' } }), capabilities: ['images'] },
  model('paint-tokens', 'image', { input: '5.00', output: '1.00', image_output: '30.00' }),
  model('film', 'video', { per_second: '0.05', variants: {} }),
]

describe('filters', () => {
  test.each<[Partial<Filters>, string[]]>([
    [{}, ['claude-a', 'film', 'gpt-b', 'own-c', 'paint', 'paint-tokens', 'plain-d']],
    [{ name: '  GPT ' }, ['gpt-b']],
    [{ name: 'anthropic a' }, ['claude-a']],
    [{ type: 'image' }, ['paint', 'paint-tokens']],
    [{ vendor: 'OpenAI' }, ['gpt-b']],
    [{ vendor: 'other', type: 'text' }, ['own-c', 'plain-d']],
    // Unknown is not a yes.
    [{ capabilities: 'images' }, ['claude-a', 'gpt-b', 'paint']],
    [{ capabilities: 'images,reasoning' }, ['claude-a']],
    [{ capabilities: 'nonsense' }, ['claude-a', 'film', 'gpt-b', 'own-c', 'paint', 'paint-tokens', 'plain-d']],
    // Without the usual group the lowest of the reader's groups counts, and other units do not match.
    [{ max: '4', unit: 'output' }, ['gpt-b', 'own-c']],
    [{ max: '3.99' }, ['own-c']],
    [{ max: '0.04', unit: 'per_image' }, ['paint']],
    [{ max: '100', type: 'image', unit: 'image_output' }, ['paint-tokens']],
    [{ max: '100', type: 'video', unit: 'per_image' }, ['film']],
    [{ max: 'much', type: 'video' }, ['film']],
    [{ type: 'text', sort: 'price' }, ['own-c', 'gpt-b', 'claude-a', 'plain-d']],
    [{ sort: 'price' }, ['own-c', 'gpt-b', 'claude-a', 'plain-d', 'paint', 'paint-tokens', 'film']],
    [{ type: 'text', sort: 'speed' }, ['own-c', 'gpt-b', 'claude-a', 'plain-d']],
    [{ type: 'text', sort: 'context' }, ['claude-a', 'gpt-b', 'own-c', 'plain-d']],
  ])('%j', (filters, expected) => {
    expect(chosenModels(MODELS, { ...FILTERS, ...filters }).map(({ id }) => id)).toEqual(expected)
  })

  test('offer the vendors and units that there are', () => {
    expect(vendorsOf(MODELS)).toEqual(['Anthropic', 'OpenAI', 'other'])
    expect(unitsOf(MODELS)).toEqual(['output', 'per_image', 'image_output', 'per_second'])
  })

  test('a type without texts is shown by the names that the gateway gives', () => {
    const voice = model('voice', 'speech', { per_million_characters: '15.00' })
    expect(unitsOf([voice])).toEqual(['per_million_characters'])
    expect(labelOf({ per_image: 'per image' }, 'per_million_characters')).toBe('per million characters')
    expect(chosenModels([...MODELS, voice], { ...FILTERS, type: 'speech', max: '15' })).toEqual([voice])
  })
})

test('what most keys pay, and whether groups pay different prices', () => {
  const groupOf = (...prices: Record<string, unknown>[]) => usualOf(model('m', 'text', ...prices))?.group
  const [cheap, expensive] = [
    { input: '1.00', output: '4.00' },
    { input: '1.00', output: '8.00' },
  ]
  expect([groupOf(expensive, cheap), groupOf(cheap, expensive), groupOf(cheap, cheap), groupOf()]).toEqual([
    'group-1',
    'group-0',
    'group-0',
    undefined,
  ])
  const offered = model('m', 'text', cheap, expensive)
  const [first, second] = offered.prices
  if (!first || !second) throw new Error('two groups offer it')
  expect(usualOf({ ...offered, prices: [first, { ...second, group: 'default' }] })?.price).toEqual(expensive)
  expect([differs(model('m', 'text', cheap, expensive)), differs(model('m', 'text', cheap, cheap))]).toEqual([
    true,
    false,
  ])
})

test('every figure of a price is a line: long contexts, tiers, tools and variants in blocks of their own', () => {
  const names = {
    figures: { input: 'Input' },
    tiers: 'Tiers',
    tools: 'Tools',
    variants: 'Variants',
    above: (tokens: number) => `above ${tokens}`,
    tier: (name: string) => `tier ${name}`,
  }
  const rich = {
    input: '2.00',
    long_context: [{ above: 5, input: '4.00' }],
    variants: { high: '0.20' },
    tiers: { fast: '2', flex: { input: '1.00', long_context: [{ above: 5, input: '3.00' }] } },
    tools: { search: '0.01' },
  }
  const shown = priceBlocks([{ input: '1.00' }, rich], names).map(({ title, lines }) => [
    title,
    ...lines.map(({ label, values }) => [label, ...values.map((value) => Object.values(value ?? {}).join())].join(' ')),
  ])
  expect(shown).toEqual([
    ['', 'Input 1.00 2.00'],
    ['Variants', 'high  0.20'],
    ['above 5', 'Input  4.00'],
    ['Tiers', 'fast  2'],
    ['tier flex', 'Input  1.00'],
    ['tier flex, above 5', 'Input  3.00'],
    ['Tools', 'search  0.01'],
  ])
})

describe('the model that is offered first', () => {
  const at = (id: string, output: string, given: Partial<ModelRow> = {}): ModelRow => ({
    ...model(id, 'text', { input: '1.00', output }),
    limits: { context: 1_000 },
    median_first_token_ms: 200,
    ...given,
  })
  const first = (models: ModelRow[], group?: string) => preferredModels(models, group).map(({ id }) => id)

  test('has answered and is healthy, then costs least, then comes first by name', () => {
    const down = at('down', '0.10', { healthy: false })
    const untried = at('untried', '0.20', { median_first_token_ms: null })
    expect(first([down, untried, at('dear', '9.00'), at('b', '2.00'), at('a', '2.00')])).toEqual([
      'a',
      'b',
      'dear',
      'untried',
      'down',
    ])
  })

  test('is in the group of the key, at the price of that group', () => {
    const prices = [
      { group: 'staff', price: { input: '1.00', output: '1.00' } },
      { group: 'default', price: { input: '1.00', output: '8.00' } },
    ]
    const models = [
      at('both', '0', { prices }),
      at('default-only', '4.00', {
        prices: [{ ...prices[1], price: { input: '1.00', output: '4.00' } } as (typeof prices)[number]],
      }),
    ]
    expect([first(models, 'staff'), first(models, 'default'), first(models, 'other')]).toEqual([
      ['both'],
      ['default-only', 'both'],
      [],
    ])
  })
})
