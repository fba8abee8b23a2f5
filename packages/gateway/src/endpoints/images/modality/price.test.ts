import { describe, expect, test } from 'bun:test'
import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import fc from 'fast-check'
import { formulaOf, type PricedReceipt, priceText, recompute } from '../../../money/prices/receipt.ts'
import type { ImagePrice, RequestedImages } from './price.ts'
import { imageRate, MOST_IMAGES, type PerImagePrice } from './price.ts'
import type { ImageTokenPrice } from './token-price.ts'

const ONE = 1_000_000n
const price: PerImagePrice = {
  perImage: 40n,
  variants: new Map([
    ['1024x1024/high', 170n],
    ['1024x1024', 50n],
    ['high', 90n],
    ['low', 10n],
  ]),
}
const byToken: ImageTokenPrice = {
  tokens: {
    input: 5_000_000_000n,
    imageInput: 8_000_000_000n,
    imageOutput: 30_000_000_000n,
    cachedInput: 1_250_000_000n,
  },
}
const usage = (more: Partial<Usage>): Usage => ({
  input: undefined,
  output: undefined,
  cachedInput: undefined,
  cacheWrite: undefined,
  reasoning: undefined,
  absurd: false,
  ...more,
})

type Image = { size: string | undefined; quality: string | undefined }
const costOf = (images: readonly Image[], by: bigint = ONE, requested = images.length) =>
  imageRate(price, by).cost({ images, requested })?.cost
const receiptOf = (rate: ImagePrice, multiplier: bigint, images: readonly Image[], reported?: Usage) => {
  const charge = imageRate(rate, multiplier).cost({ images, requested: images.length, usage: reported })
  if (!charge) throw new Error('not priced')
  const receipt: PricedReceipt = JSON.parse(
    `{"units":{${charge.units}},"price":${priceText('v', [charge], multiplier)}}`,
  )
  return { charge, receipt }
}

describe('by the image', () => {
  test.each([
    ['both', '1024x1024', 'high', 170n],
    ['in another case', '1024X1024', 'HIGH', 170n],
    ['the size', '1024x1024', 'medium', 50n],
    ['the quality', '512x512', 'high', 90n],
    ['neither', '512x512', 'medium', 40n],
    ['nothing known: the cheapest of all', undefined, undefined, 10n],
    ['left to the vendor', 'auto', 'auto', 10n],
    ['unknown quality: the cheapest of that size', '1024x1024', undefined, 50n],
    ['unknown quality of another size', '512x512', undefined, 10n],
    ['unknown size', undefined, 'high', 90n],
    ['an impossible size, as reported', '1x0', 'high', 10n],
    ['a size by name, as reported', '2K', undefined, 10n],
  ])('what was delivered: %s', (_, size, quality, cost) => {
    const image = { size, quality }
    expect(costOf([image])).toBe(cost)
    expect(costOf([image, image, image], ONE / 2n)).toBe((cost * 3n + 1n) / 2n)
  })

  test.each([
    ['nothing is requested: the most expensive of all', undefined, undefined, 170n],
    ['auto', 'auto', 'AUTO', 170n],
    ['the size', '1024x1024', undefined, 170n],
    ['the quality', undefined, 'low', 50n],
    ['another quality', undefined, 'high', 170n],
    ['both: what it will be', '1024x1024', 'low', 50n],
  ])('what is held: %s', (_, size, quality, most) => {
    expect(imageRate(price, ONE).bound({ count: 1, size, quality })).toBe(most)
    expect(imageRate(price, 2n * ONE).bound({ count: 3, size, quality })).toBe(6n * most)
  })

  const byResolution: PerImagePrice = {
    perImage: 30n,
    variants: new Map([
      ['2k', 40n],
      ['4k', 80n],
      ['4k/high', 160n],
      ['3072x3072', 50n],
    ]),
  }
  test.each([
    ['a resolution with a price', '2K', 'low', 40n, 40n],
    ['of some quality', '4k', undefined, 160n, 80n],
    ['one without a price may be anything', '1K', 'low', 80n, 30n],
    ['adaptive is anything', 'adaptive', 'low', 80n, 30n],
    ['a size of that resolution', '2848x1600', 'low', 40n, 40n],
    ['a size of one that has no price', '1024x1024', 'low', 30n, 30n],
    ['a size with a price of its own', '3072x3072', 'low', 50n, 50n],
    ['a size between two of them', '3584x3584', 'low', 80n, 30n],
  ])('by resolution: %s', (_, size, quality, held, charged) => {
    const rate = imageRate(byResolution, ONE)
    expect(rate.bound({ count: 2, size, quality })).toBe(2n * held)
    expect(rate.cost({ images: [{ size, quality }], requested: 1 })?.cost).toBe(charged)
  })

  test('never more than were requested, and each by its own size', () => {
    const images = [
      { size: '1024x1024', quality: 'high' },
      { size: '512x512', quality: 'low' },
      { size: '1024x1024', quality: 'high' },
    ]
    expect(costOf(images)).toBe(350n)
    expect(costOf(images, ONE, 2)).toBe(180n)
    const { charge, receipt } = receiptOf(price, 1_333_333n, images)
    expect(receipt.units).toEqual({ images: 2, images_2: 1 })
    expect(recompute(receipt)).toBe(charge.cost)
    expect(formulaOf(receiptOf({ ...price, perImage: 40_000_000n, variants: new Map() }, ONE, images).receipt)).toBe(
      '3 images x 0.04 = 0.12 USD',
    )
  })

  test.each([
    ['none', { count: 0 }],
    ['fewer than none', { count: -1 }],
    ['a part of one', { count: 1.5 }],
    ['no number', { count: Number.NaN }],
    ['too many', { count: MOST_IMAGES + 1 }],
    ['more than 32 bits', { count: 2 ** 32 + 1 }],
    ['too large', { size: '99999x1' }],
    ['of no height', { size: '1024x0' }],
    ['no size', { size: 'large' }],
    ['no quality', { quality: 'x'.repeat(99) }],
    ['a negative number of input images', { inputImages: -1 }],
    ['half a call', { calls: 0.5 }],
    ['a prompt of no length', { promptBytes: Number.NaN }],
  ])('rejected, never free: %s', (_, wrong: Partial<RequestedImages>) => {
    const requested = { count: 1, size: undefined, quality: undefined, ...wrong }
    for (const each of [price, byToken]) expect(imageRate(each, ONE).bound(requested)).toBeUndefined()
  })

  test.each([
    ['none delivered', [], 1],
    ['none requested', [{ size: undefined, quality: undefined }], 0],
  ])('an outcome without a price: %s', (_, images: Image[], requested) => {
    for (const each of [price, byToken]) expect(imageRate(each, ONE).cost({ images, requested })).toBeUndefined()
  })

  test('what is delivered costs no more than was held for what was requested', () => {
    const sizes = fc.constantFrom('1024x1024', '512x512', undefined)
    const qualities = fc.constantFrom('high', 'low', 'medium', undefined)
    const figure = fc.bigInt({ min: 0n, max: 1_000n })
    const prices = fc.tuple(figure, figure, figure, figure, figure).map(
      ([perImage, a, b, c, d]): PerImagePrice => ({
        perImage,
        variants: new Map([
          ['1024x1024/high', a],
          ['512x512', b],
          ['high', c],
          ['512x512/low', d],
        ]),
      }),
    )
    const delivered = fc.array(fc.record({ size: sizes, quality: qualities }), { minLength: 1, maxLength: 4 })
    const multiplier = fc.bigInt({ min: 0n, max: 3_000_000n })
    fc.assert(
      fc.property(prices, sizes, qualities, delivered, multiplier, (any, size, quality, made, by) => {
        // What was requested is what is made; the rest is the vendor's choice, and may not be reported.
        const images = made.map((each) => ({ size: size ?? each.size, quality: quality ?? each.quality }))
        const cost = imageRate(any, by).cost({ images, requested: 2 })?.cost
        const held = imageRate(any, by).bound({ count: 2, size, quality })
        return cost !== undefined && held !== undefined && cost <= held
      }),
    )
  })
})

describe('by the token', () => {
  test('reported tokens are charged, by what they are', () => {
    const reported = usage({ input: 84, imageInput: 64, output: 1056, imageOutput: 1056 })
    const { charge, receipt } = receiptOf(byToken, 1_100_000n, [{ size: '1024x1024', quality: 'medium' }], reported)
    // (20 x 5 + 64 x 8 + 1056 x 30) x 1.1 micro-USD
    expect(charge.cost).toBe(35_521_200n)
    expect(receipt.units).toEqual({ image_prompt_tokens: 20, image_input_tokens: 64, image_output_tokens: 1056 })
    expect(recompute(receipt)).toBe(charge.cost)
    expect(formulaOf(receipt)).toBe(
      '(20 image prompt tokens x 5.00 / 1,000,000 + 64 image input tokens x 8.00 / 1,000,000 + 1056 image output tokens x 30.00 / 1,000,000) x 1.1 = 0.0355212 USD',
    )
  })

  test.each([
    ['only totals: all output is image', { input: 10, output: 100 }, 3_050_000n],
    ['cached input', { input: 10, cachedInput: 4, output: 100 }, 3_035_000n],
    ['an explicit zero stays zero', { input: 0, output: 0 }, 0n],
    ['text that the vendor does not bill', { input: 0, output: 150, imageOutput: 100 }, 3_000_000n],
    ['no report: the fewest tokens, 196', {}, 5_880_000n],
    ['input without output is no report', { input: 1_000_000 }, 5_880_000n],
  ])('%s', (_, reported, cost) => {
    const images = [{ size: '1024x1024', quality: undefined }]
    expect(receiptOf(byToken, ONE, images, usage(reported)).charge.cost).toBe(cost)
  })

  test('an answer without an image costs its text, where that has a price', () => {
    const reported = usage({ input: 10, output: 100, reasoning: 40 })
    const costs = [price, byToken, { ...byToken, tokens: { ...byToken.tokens, output: 2_000_000n } }].map(
      (each) => imageRate(each, ONE).cost({ images: [], requested: 1, usage: reported })?.cost,
    )
    const prompt = (10n * byToken.tokens.input + 999_999n) / 1_000_000n
    expect(costs).toEqual([undefined, prompt, (10n * byToken.tokens.input + 100n * 2_000_000n + 999_999n) / 1_000_000n])
  })

  test('text beside the image has a price of its own', () => {
    const withText: ImageTokenPrice = { ...byToken, tokens: { ...byToken.tokens, output: 12_000_000_000n } }
    const reported = usage({ input: 10, output: 1_500, reasoning: 380 })
    const { charge, receipt } = receiptOf(withText, ONE, [{ size: undefined, quality: undefined }], reported)
    expect(receipt.units).toEqual({ image_prompt_tokens: 10, image_text_tokens: 380, image_output_tokens: 1120 })
    expect(recompute(receipt)).toBe(charge.cost)
  })

  // Known figures of the vendors, in tokens: a hold covers each, at 30 nano-USD per thousandth of a token.
  test.each([
    ['gpt-image-1', '1024x1024', 'low', 272],
    ['gpt-image-1', '1024x1536', 'medium', 1584],
    ['gpt-image-1', '1536x1024', 'high', 6208],
    ['gpt-image-2', '1024x1024', 'high', 7024],
    ['gpt-image-2', '1536x1024', 'high', 5488],
    ['gpt-image-2', '3584x2048', 'high', 12_329],
    ['gemini at 1K', '1024x1024', 'low', 1120],
    ['gemini at 4K', '4096x4096', 'low', 2520],
    ['left open', 'auto', 'auto', 7024],
  ])('%s %s %s', (_, size, quality, tokens) => {
    const held = imageRate(byToken, ONE).bound({ count: 1, size, quality }) ?? 0n
    const cost = receiptOf(byToken, ONE, [{ size, quality }], usage({ input: 200, output: tokens })).charge.cost
    expect(cost <= held).toBe(true)
    const cheapest = receiptOf(byToken, ONE, [{ size, quality }]).charge.cost
    expect(cheapest <= 30_000n * BigInt(tokens)).toBe(true)
  })

  test('what is delivered costs no more than was held for what was requested', () => {
    const side = fc.integer({ min: 16, max: 4096 })
    const size = fc.oneof(
      fc.tuple(side, side).map(([width, height]) => `${width}x${height}`),
      fc.constantFrom('1024x1024', '1536x1024'),
    )
    const quality = fc.constantFrom('low', 'medium', 'high', 'hd', undefined)
    const count = fc.integer({ min: 1, max: 10 })
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(size, quality, quality, count, count, share, (size, quality, made, n, calls, part) => {
        const requested = { count: n, size, quality, promptBytes: 400, inputImages: 2, calls }
        const images = Array.from({ length: n + 1 }, () => ({ size, quality: quality ?? made }))
        const rate = imageRate(byToken, 1_234_567n)
        const held = rate.bound(requested) ?? -1n
        const input = Math.floor(part * 400) * calls
        const reported = usage({ input, imageInput: Math.floor(input / 2), output: Math.floor(part * 272) * n })
        const costs = [undefined, reported].map(
          (usage) => rate.cost({ images, requested: n, usage })?.cost ?? held + 1n,
        )
        return costs.every((cost) => cost <= held)
      }),
    )
  })
})
