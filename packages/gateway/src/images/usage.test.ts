import { expect, test } from 'bun:test'
import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import { addUsage } from './usage.ts'

const usage = (more: Partial<Usage>): Usage => ({
  input: undefined,
  output: undefined,
  cachedInput: undefined,
  cacheWrite: undefined,
  reasoning: undefined,
  absurd: false,
  ...more,
})

test.each<[string, Partial<Usage>, Partial<Usage>, Partial<Usage>]>([
  ['both report a figure', { input: 3, imageOutput: 5 }, { input: 4, imageOutput: 6 }, { input: 7, imageOutput: 11 }],
  ['one reports a figure', { input: 3 }, {}, { input: 3, output: undefined }],
  ['neither does: unknown, not zero', {}, {}, { input: undefined, output: undefined }],
  ['a figure that cannot be true in one of them', { absurd: true }, {}, { absurd: true }],
])('%s', (_, one, other, expected) => {
  expect(addUsage(usage(one), usage(other))).toMatchObject(expected)
})
