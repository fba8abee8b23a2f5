// What a video is held for and charged, by the price of its model and by what was requested and made.
import { text } from '../../test/support/requests/videos.ts'

const UNREPORTED = { resolution: undefined, duration: undefined, usage: undefined }
const flags = (prompt: string) => ({ content: [text(`A cat ${prompt}`)] })

type Case = {
  name: string
  model: string
  fields?: object
  /** What the upstream reports besides its defaults: the requested length and resolution, else 5 s at 720p; 1,000 tokens. */
  made?: object
  group?: string
  /** What the upstream is asked for. */
  sent?: { duration?: number; resolution?: string }
  held: string
  cost: string
  units: object
  formula: string
}

export const CASES: Case[] = [
  {
    name: 'the described defaults',
    model: 'sec',
    sent: { duration: 5, resolution: '720p' },
    held: '0.25',
    cost: '0.25',
    units: { seconds: 5 },
    formula: '5 seconds x 0.05 = 0.25 USD',
  },
  {
    name: 'a variant',
    model: 'sec',
    fields: { duration: 8, resolution: '1080p' },
    sent: { duration: 8, resolution: '1080p' },
    held: '0.96',
    cost: '0.96',
    units: { seconds: 8 },
    formula: '8 seconds x 0.12 = 0.96 USD',
  },
  {
    name: 'no default: the maximum is held',
    model: 'open',
    sent: {},
    held: '1.44',
    cost: '0.25',
    units: { seconds: 5 },
    formula: '5 seconds x 0.05 = 0.25 USD',
  },
  {
    name: 'flag and field differ: the more expensive is held',
    model: 'sec',
    fields: { ...flags('--dur 10 --rs 1080p'), duration: 4, resolution: '720p' },
    held: '1.20',
    cost: '0.20',
    units: { seconds: 4 },
    formula: '4 seconds x 0.05 = 0.20 USD',
  },
  {
    name: 'flag and field differ, and the upstream obeys the flag',
    model: 'sec',
    fields: { ...flags('--dur 10 --rs 1080p'), duration: 4, resolution: '720p' },
    made: { duration: 10, resolution: '1080p' },
    held: '1.20',
    cost: '1.20',
    units: { seconds: 10 },
    formula: '10 seconds x 0.12 = 1.20 USD',
  },
  {
    name: 'flags alone',
    model: 'sec',
    fields: flags('--dur 6 --rs 1080p'),
    made: { duration: 6, resolution: '1080p' },
    held: '0.72',
    cost: '0.72',
    units: { seconds: 6 },
    formula: '6 seconds x 0.12 = 0.72 USD',
  },
  {
    name: 'more than was held for',
    model: 'sec',
    made: { duration: 12, resolution: '1080p' },
    held: '0.25',
    cost: '0.25',
    units: { seconds: 5 },
    formula: '5 seconds x 0.05 = 0.25 USD',
  },
  {
    name: 'more than was held for, at any resolution',
    model: 'any',
    made: { duration: 60, resolution: '4k' },
    held: '1.44',
    cost: '1.44',
    units: { seconds: 12 },
    formula: '12 seconds x 0.12 = 1.44 USD',
  },
  {
    name: 'less than was asked for',
    model: 'sec',
    fields: { duration: 8 },
    made: { duration: 4.5 },
    held: '0.40',
    cost: '0.225',
    units: { seconds: 4.5 },
    formula: '4.5 seconds x 0.05 = 0.225 USD',
  },
  {
    name: 'frames: 97 of 24 a second, rounded up to the millisecond',
    model: 'sec',
    made: { duration: undefined, frames: 97, framespersecond: 24 },
    held: '0.25',
    cost: '0.2021',
    units: { seconds: 4.042 },
    formula: '4.042 seconds x 0.05 = 0.2021 USD',
  },
  {
    name: 'nothing is reported: what was requested',
    model: 'sec',
    made: UNREPORTED,
    fields: { duration: 8, resolution: '1080p' },
    held: '0.96',
    cost: '0.96',
    units: { seconds: 8 },
    formula: '8 seconds x 0.12 = 0.96 USD',
  },
  {
    name: 'the multiplier of a group',
    model: 'sec',
    group: 'staff',
    held: '0.20',
    cost: '0.20',
    units: { seconds: 5 },
    formula: '5 seconds x 0.05 x 0.8 = 0.20 USD',
  },
  {
    name: 'by the video',
    model: 'piece',
    made: { duration: 12 },
    held: '0.30',
    cost: '0.30',
    units: { videos: 1 },
    formula: '1 video x 0.30 = 0.30 USD',
  },
  {
    name: 'by the video, smaller than requested',
    model: 'piece',
    fields: { resolution: '1080p' },
    made: { resolution: '720p' },
    held: '0.50',
    cost: '0.30',
    units: { videos: 1 },
    formula: '1 video x 0.30 = 0.30 USD',
  },
  // 720p has at most 1504 x 640 pixels: 940 tokens a frame, 121 frames in 5 s, and 5 % more held: 119,427 tokens.
  {
    name: 'by the reported tokens',
    model: 'tok',
    made: { usage: { completion_tokens: 108_900 } },
    held: '0.597135',
    cost: '0.5445',
    units: { video_tokens: 108_900 },
    formula: '108900 video tokens x 5.00 / 1,000,000 = 0.5445 USD',
  },
  {
    name: 'more tokens than were held for',
    model: 'tok',
    made: { usage: { completion_tokens: 1_000_000 } },
    held: '0.597135',
    cost: '0.597135',
    units: { video_tokens: 119_427 },
    formula: '119427 video tokens x 5.00 / 1,000,000 = 0.597135 USD',
  },
  {
    name: 'tokens are not reported: those of what was requested',
    model: 'tok',
    made: UNREPORTED,
    held: '0.597135',
    cost: '0.5687',
    units: { video_tokens: 113_740 },
    formula: '113740 video tokens x 5.00 / 1,000,000 = 0.5687 USD',
  },
  // 1080p: 1920 x 1088 pixels, 2,040 tokens a frame; 246,840 and 5 %: 259,182 tokens.
  {
    name: 'tokens of a variant, in a group',
    model: 'tok',
    fields: { resolution: '1080p' },
    group: 'staff',
    made: { usage: { total_tokens: 200_000 } },
    held: '1.4514192',
    cost: '1.12',
    units: { video_tokens: 200_000 },
    formula: '200000 video tokens x 7.00 / 1,000,000 x 0.8 = 1.12 USD',
  },
]
