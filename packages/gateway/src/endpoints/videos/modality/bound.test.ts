import { describe, expect, test } from 'bun:test'
import { billableVideo, mostExpensive, type PricedLimits, type PricedReadings, requestedVideo } from './bound.ts'
import { type VideoPrice, type VideoUnit, videoRate } from './price.ts'

const priced = (per: VideoUnit, price: bigint, variants: Record<string, bigint> = {}): VideoPrice => ({
  per,
  price,
  variants: new Map(Object.entries(variants)),
})
const SECOND = priced('second', 50_000_000n, { '1080p': 120_000_000n, '480p': 20_000_000n })
/** 1080p is cheaper by the token, but has more than twice as many. */
const TOKENS = priced('million_tokens', 7_000_000_000n, { '1080p': 4_000_000_000n })

const NOTHING: PricedReadings = { resolutions: [], seconds: [], modelChoosesLength: false }
const ALL: PricedLimits = {
  seconds: [4, 12],
  defaultSeconds: 5,
  resolutions: ['480p', '720p', '1080p'],
  defaultResolution: '720p',
}

describe('the video to hold for', () => {
  test.each<[string, VideoPrice, Partial<PricedReadings>, PricedLimits, [string | undefined, number], bigint]>([
    ['as asked', SECOND, { resolutions: ['480p'], seconds: [10] }, ALL, ['480p', 10], 200_000_000n],
    ['the defaults', SECOND, {}, ALL, ['720p', 5], 250_000_000n],
    ['no default length: the longest', SECOND, {}, { seconds: [4, 12] }, [undefined, 12], 1_440_000_000n],
    ['no limit of length', SECOND, { resolutions: ['720p'] }, {}, ['720p', 120], 6_000_000_000n],
    ['no default resolution', SECOND, { seconds: [5] }, { resolutions: ['480p', '720p'] }, ['720p', 5], 250_000_000n],
    ['any resolution', SECOND, { seconds: [5] }, {}, [undefined, 5], 600_000_000n],
    ['the model chooses', SECOND, { modelChoosesLength: true }, ALL, ['720p', 12], 600_000_000n],
    ['or a flag does', SECOND, { modelChoosesLength: true, seconds: [4] }, ALL, ['720p', 12], 600_000_000n],
    [
      'contradicting values, the expensive ones second',
      SECOND,
      { resolutions: ['480p', '1080p'], seconds: [4, 10] },
      ALL,
      ['1080p', 10],
      1_200_000_000n,
    ],
    ['by the video', priced('video', 9n, { '1080p': 7n }), { resolutions: ['1080p', '720p'] }, ALL, ['720p', 5], 9n],
    // 1504 * 640 * 121 / 1024 = 113,740 tokens, 119,427 with the margin.
    ['tokens', TOKENS, { seconds: [5] }, ALL, ['720p', 5], 835_989_000n],
    // 1920 * 1088 * 121 / 1024 = 246,840 tokens, 259,182 with the margin.
    ['tokens of all', TOKENS, { seconds: [5], resolutions: ['720p', '1080p'] }, ALL, ['1080p', 5], 1_036_728_000n],
    // 1504 * 640 / 1024 = 940 tokens for each frame: 241 frames are 226,540 and 481 are 452,140.
    ['more frames', TOKENS, { seconds: [5], framesPerSecond: 48 }, ALL, ['720p', 5], 1_665_069_000n],
    ['a video as well', TOKENS, { seconds: [5], inputVideoSeconds: 15 }, ALL, ['720p', 5], 3_323_229_000n],
    // 3840 * 2160 * 25 / 1024 = 202,500 tokens, 212,625 with the margin.
    ['tokens of 4k', TOKENS, { seconds: [1], resolutions: ['4k'] }, {}, ['4k', 1], 1_488_375_000n],
    ['tokens of any', TOKENS, { seconds: [1] }, {}, [undefined, 1], 1_488_375_000n],
    // 540 * 960 * 25 / 1024 = 12,656.25 tokens, 13,290 with the margin, rounded up.
    ['an unusual resolution', TOKENS, { seconds: [1], resolutions: ['540p'] }, {}, ['540p', 1], 93_030_000n],
  ])('%s', (_, price, readings, limits, [resolution, seconds], hold) => {
    const video = mostExpensive({ ...NOTHING, ...readings }, limits, price)
    expect(video).toMatchObject({ resolution, seconds })
    expect(videoRate(price, 1_000_000n).bound(video)).toBe(hold)
  })

  test('a part of a second counts', () => {
    const video = mostExpensive({ ...NOTHING, seconds: [61 / 24], resolutions: ['720p'] }, ALL, TOKENS)
    // 62 frames of 940 tokens are 58,280; with the margin 61,194.
    expect(video.tokens).toBe(61_194)
  })
})

test('the video that is requested is the first reading, without a margin', () => {
  const readings = { ...NOTHING, resolutions: ['720p', '1080p'], seconds: [5, 12] }
  expect(requestedVideo(readings, ALL)).toEqual({ resolution: '720p', seconds: 5, tokens: 113_740 })
  expect(requestedVideo(NOTHING, ALL)).toEqual({ resolution: '720p', seconds: 5, tokens: 113_740 })
  expect(requestedVideo(NOTHING, {})).toMatchObject({ resolution: undefined, seconds: 120 })
})

describe('the video to charge', () => {
  const requested = { resolution: '720p', seconds: 5, tokens: 113_740 }

  test.each([
    ['as reported', { duration: 4, resolution: '480P' }, { resolution: '480p', seconds: 4, tokens: 113_740 }],
    ['frames', { frames: 121, framesPerSecond: 30 }, { ...requested, seconds: 121 / 30 }],
    ['frames alone', { frames: 48 }, { ...requested, seconds: 2 }],
    ['the length before the frames', { duration: 3, frames: 48 }, { ...requested, seconds: 3 }],
    ['frames after a length that is none', { duration: 0, frames: 48 }, { ...requested, seconds: 2 }],
    ['frames at no rate', { frames: 48, framesPerSecond: 0 }, { ...requested, seconds: 2 }],
    ['nothing', {}, requested],
    ['nonsense: nothing', { duration: 0, frames: 0, resolution: '' }, requested],
    ['nonsense: negative', { duration: -1, frames: -24, resolution: '../x' }, requested],
    ['nonsense: no number', { duration: Number.NaN, frames: Number.NaN, resolution: 'auto' }, requested],
    ['nonsense: without end', { duration: Number.POSITIVE_INFINITY, frames: 1e9 }, requested],
  ])('%s', (_, settings, expected) => {
    expect(billableVideo({ settings }, requested, SECOND)).toEqual(expected)
  })

  test.each([
    [{ completionTokens: 90_000, totalTokens: 95_000 }, 90_000],
    [{ totalTokens: 95_000 }, 95_000],
    [{ completionTokens: 0, totalTokens: 95_000 }, 95_000],
    [{ completionTokens: -1 }, 113_740],
    [{ completionTokens: Number.NaN, totalTokens: 0.5 }, 113_740],
    [{ completionTokens: 1e12 }, 113_740],
    [undefined, 113_740],
  ])('tokens %j', (usage, tokens) => {
    expect(billableVideo({ settings: {}, ...(usage ? { usage } : {}) }, requested, SECOND).tokens).toBe(tokens)
  })
})
