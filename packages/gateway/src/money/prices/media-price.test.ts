import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { MAX_AMOUNT } from '../amount.ts'
import {
  type ImagePrice,
  imageBound,
  imageCost,
  imageRate,
  LONGEST_VIDEO_SECONDS,
  MOST_IMAGES,
  type VideoPrice,
  type VideoUnit,
  videoBound,
  videoCost,
  videoRate,
} from './media-price.ts'
import type { Charge } from './price.ts'
import { type PricedReceipt, priceText, recompute } from './receipt.ts'

const ONE = 1_000_000n
const image: ImagePrice = {
  ...{ type: 'image', perImage: 40n },
  variants: new Map([
    ['1024x1024/high', 170n],
    ['1024x1024', 50n],
    ['high', 90n],
    ['low', 10n],
  ]),
}
const video = (per: VideoUnit, price = 1_000n): VideoPrice => ({
  ...{ type: 'video', per, price },
  variants: new Map([
    ['1080p', 3_000n],
    ['480p', 500n],
  ]),
})

describe('images', () => {
  test.each([
    ['both', '1024x1024', 'high', 170n],
    ['in another case', '1024X1024', 'HIGH', 170n],
    ['the size', '1024x1024', 'medium', 50n],
    ['the quality', '512x512', 'high', 90n],
    ['neither', '512x512', 'medium', 40n],
    ['nothing known', undefined, undefined, 40n],
    ['left to the vendor', 'auto', 'auto', 40n],
  ])('the variant: %s', (_, size, quality, cost) => {
    expect(imageCost({ count: 1, size, quality }, image, ONE)).toBe(cost)
    expect(imageCost({ count: 3, size, quality }, image, ONE / 2n)).toBe((cost * 3n + 1n) / 2n)
  })

  test.each([
    ['nothing is given: the most expensive of all', undefined, undefined, 170n],
    ['the size is given', '1024x1024', undefined, 170n],
    ['the quality is given', undefined, 'low', 50n],
    ['another quality is given', undefined, 'high', 170n],
    ['both are given: the exact price', '1024x1024', 'low', 50n],
  ])('the hold: %s', (_, size, quality, most) => {
    expect(imageBound({ count: 1, size, quality }, image, ONE)).toBe(most)
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
  ])('rejected: %s', (_, wrong) => {
    const images = { count: 1, size: undefined, quality: undefined, ...wrong }
    expect(imageCost(images, image, ONE)).toBeUndefined()
    expect(imageBound(images, image, ONE)).toBeUndefined()
  })

  test('what is made costs no more than was held for what was requested', () => {
    const sizes = fc.constantFrom('1024x1024', '512x512', undefined)
    const qualities = fc.constantFrom('high', 'low', 'medium', undefined)
    const figure = fc.bigInt({ min: 0n, max: 1_000n })
    const prices = fc.tuple(figure, figure, figure, figure, figure).map(
      ([perImage, a, b, c, d]): ImagePrice => ({
        ...{ type: 'image', perImage },
        variants: new Map([
          ['1024x1024/high', a],
          ['512x512', b],
          ['high', c],
          ['512x512/low', d],
        ]),
      }),
    )
    fc.assert(
      fc.property(prices, sizes, qualities, sizes, qualities, (price, size, quality, madeSize, madeQuality) => {
        // What was requested is made; the rest is the vendor's choice.
        const made = { count: 2, size: size ?? madeSize, quality: quality ?? madeQuality }
        const cost = imageCost(made, price, ONE)
        const held = imageBound({ count: 2, size, quality }, price, ONE)
        return cost !== undefined && held !== undefined && cost <= held
      }),
    )
  })
})

describe('videos', () => {
  test.each([
    ['by the second', video('second'), { seconds: 5, resolution: '1080p' }, 15_000n],
    ['by a part of a second', video('second'), { seconds: 5.0401, resolution: '720p' }, 5_041n],
    ['by the video', video('video'), { resolution: '480p' }, 500n],
    ['by the token, rounded up once', video('million_tokens'), { tokens: 1_500, resolution: '1080P' }, 5n],
    ['no tokens at all', video('million_tokens'), { tokens: 0 }, 0n],
    ['never more than the ledger can hold', video('second', MAX_AMOUNT), { seconds: 60 }, MAX_AMOUNT],
  ])('%s', (_, price, given, cost) => {
    const asked = { seconds: undefined, tokens: undefined, resolution: undefined, ...given }
    expect(videoCost(asked, price, ONE)).toBe(cost)
  })

  test('the hold: a resolution that is left open may be the most expensive', () => {
    const asked = { seconds: 10, tokens: undefined, resolution: undefined }
    expect(videoBound(asked, video('second'), ONE)).toBe(30_000n)
    expect(videoBound(asked, video('second', 9_000n), ONE)).toBe(90_000n)
    expect(videoBound({ ...asked, resolution: '480p' }, video('second'), ONE)).toBe(5_000n)
  })

  test.each([
    ['no seconds', video('second'), {}],
    ['none of them', video('second'), { seconds: 0 }],
    ['fewer than none', video('second'), { seconds: -4 }],
    ['no number', video('second'), { seconds: Number.NaN }],
    ['too many', video('second'), { seconds: LONGEST_VIDEO_SECONDS + 1 }],
    ['no tokens', video('million_tokens'), { seconds: 4 }],
    ['a part of a token', video('million_tokens'), { tokens: 0.5 }],
    ['no resolution', video('video'), { resolution: '../1080p' }],
  ])('rejected, never free: %s', (_, price, wrong) => {
    const asked = { seconds: undefined, tokens: undefined, resolution: undefined, ...wrong }
    expect(videoCost(asked, price, ONE)).toBeUndefined()
    expect(videoBound(asked, price, ONE)).toBeUndefined()
  })
})

describe('as prices', () => {
  const receiptOf = (charge: Charge, by: bigint): PricedReceipt =>
    JSON.parse(`{"units":{${charge.units}},"price":${priceText('v', [charge], by)}}`)

  test.each<[string, Charge | undefined, bigint]>([
    ['images', imageRate(image, 1_500_000n).cost({ count: 3, size: '1024x1024', quality: 'high' }), 1_500_000n],
    ...(['second', 'video', 'million_tokens'] as const).map((per): [string, Charge | undefined, bigint] => [
      `video per ${per}`,
      videoRate(video(per), 850_001n).cost({ resolution: '1080p', seconds: 4.0004, tokens: 123_457 }),
      850_001n,
    ]),
  ])('%s: the charge can be recomputed from its receipt', (_, charge, by) => {
    if (!charge) throw new Error('not priced')
    expect(recompute(receiptOf(charge, by))).toBe(charge.cost)
  })

  test('the bound is that of the price, and what cannot be priced is rejected', () => {
    expect(imageRate(image, ONE).bound({ count: 2, size: undefined, quality: 'high' })).toBe(340n)
    expect(videoRate(video('second'), ONE).bound({ resolution: undefined, seconds: 2, tokens: undefined })).toBe(6_000n)
    expect(imageRate(image, ONE).cost({ count: 0, size: undefined, quality: undefined })).toBeUndefined()
    expect(videoRate(video('second'), ONE).cost({ resolution: '1080p', seconds: undefined, tokens: 5 })).toBeUndefined()
  })
})
