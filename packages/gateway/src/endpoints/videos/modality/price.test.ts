import { describe, expect, test } from 'bun:test'
import { MAX_AMOUNT } from '../../../money/amount.ts'
import { type PricedReceipt, priceText, recompute } from '../../../money/prices/receipt.ts'
import { LONGEST_VIDEO_SECONDS, type VideoPrice, type VideoUnit, videoBound, videoCost, videoRate } from './price.ts'

const ONE = 1_000_000n
const video = (per: VideoUnit, price = 1_000n): VideoPrice => ({
  per,
  price,
  variants: new Map([
    ['1080p', 3_000n],
    ['480p', 500n],
  ]),
})

describe('videos', () => {
  test.each([
    ['by the second', video('second'), { seconds: 5, resolution: '1080p' }, 15_000n],
    ['by a part of a second', video('second'), { seconds: 5.0401, resolution: '720p' }, 5_041n],
    ['by the video', video('video'), { resolution: '480p' }, 500n],
    ['by the token, rounded up once', video('million_tokens'), { tokens: 1_500, resolution: '1080P' }, 5n],
    ['no tokens at all', video('million_tokens'), { tokens: 0 }, 0n],
    ['never more than the books can hold', video('second', MAX_AMOUNT), { seconds: 60 }, MAX_AMOUNT],
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

test.each([
  'second',
  'video',
  'million_tokens',
] as const)('per %s: the charge can be recomputed from its receipt', (per) => {
  const charge = videoRate(video(per), 850_001n).cost({ resolution: '1080p', seconds: 4.0004, tokens: 123_457 })
  if (!charge) throw new Error('not priced')
  const receipt: PricedReceipt = JSON.parse(`{"units":{${charge.units}},"price":${priceText('v', [charge], 850_001n)}}`)
  expect(recompute(receipt)).toBe(charge.cost)
})

test('the bound is that of the price, and what cannot be priced is rejected', () => {
  expect(videoRate(video('second'), ONE).bound({ resolution: undefined, seconds: 2, tokens: undefined })).toBe(6_000n)
  expect(videoRate(video('second'), ONE).cost({ resolution: '1080p', seconds: undefined, tokens: 5 })).toBeUndefined()
})
