// What a group offers, at which price; and what a call of a model that makes no text is told.
import { describe, expect, test } from 'bun:test'
import { assemble } from '../config/assemble.ts'
import { NO_OPTIONS } from '../money/prices/token-price.ts'
import { UNREPORTED } from '../text/billing/charge.ts'
import { TEST_CALLER } from '../text/test-dependencies.ts'
import { authorize } from './authorize.ts'
import { compileCatalogue, offerOf } from './catalogue.ts'
import { Failure } from './failure.ts'

const { config } = assemble(
  `models:
  - { id: plain, routes: [{ upstream: sandbox, cost: { input: 1, output: 1, reasoning: 2 } }], price: { input: 2, output: 8 } }
  - { id: rich, routes: [{ upstream: sandbox }], price: { input: 2, output: 8, tools: { web_search: 0.01 } } }
  - { id: bare, routes: [{ upstream: sandbox }] }
  - { id: img, type: image, routes: [{ upstream: sandbox }], price: { per_image: 0.04 } }
groups:
  - { id: default, models: ["*"], multiplier: 1.5 }
  - id: own
    models: [plain, bare]
    multiplier: 1.5
    prices: { plain: { input: 1, output: 4 }, bare: { input: 3, output: 3 } }
`,
  'f',
  {},
)
if (!config) throw new Error('the configuration of this test has a mistake')
const catalogue = compileCatalogue(config, 0)
const offer = (group: string, model: string) => offerOf(catalogue, group, model)

describe('a group', () => {
  test('has the model’s price at its multiplier', () => {
    expect(offer('default', 'plain')?.rate).toMatchObject({ multiplierMillionths: 1_500_000n, plain: true })
    expect(offer('default', 'rich')?.rate).toMatchObject({ multiplierMillionths: 1_500_000n, plain: false })
    expect(offer('default', 'bare')).toBeUndefined()
  })

  test('may have its own price, with its own version and without the multiplier', () => {
    const own = offer('own', 'plain')
    expect(own?.rate).toMatchObject({ price: { input: 1_000_000_000n }, multiplierMillionths: 1_000_000n })
    expect(own?.priceVersion).not.toBe(offer('default', 'plain')?.priceVersion ?? '')
    const charge = own?.rate.cost({ usage: { ...UNREPORTED, input: 1, output: 0 }, options: NO_OPTIONS })
    expect(charge?.figures).toContain('"input":"1000000000"')
  })

  test('may price a model that is otherwise unpriced', () => {
    expect(offer('own', 'bare')?.rate.price.input).toBe(3_000_000_000n)
  })
})

test('the cost of a route is compiled for billing', () => {
  const [candidate] = offer('default', 'plain')?.candidates ?? []
  expect(candidate?.costRate).toMatchObject({ multiplierMillionths: 1_000_000n, plain: false })
  expect(offer('default', 'rich')?.candidates[0]).not.toHaveProperty('costRate')
})

test('an image model: the error says so in groups that have it; in others the model does not exist', () => {
  const rejection = (group: string) => {
    try {
      authorize({ ...TEST_CALLER, group }, 'img', catalogue)
    } catch (thrown) {
      return thrown instanceof Failure ? [thrown.info.code, thrown.message] : thrown
    }
  }
  expect(rejection('default')).toEqual(['model_not_found', expect.stringContaining('generates images')])
  expect(rejection('own')).toEqual(['model_not_found', expect.stringContaining('does not exist')])
})
