// The tokens of several calls to upstreams, which one request pays for together.

import type { Usage } from '@trivium/protocol/canonical/usage.ts'

const FIGURES = [
  ...(['input', 'output', 'cachedInput', 'cacheWrite', 'reasoning', 'cacheWriteLong'] as const),
  ...(['audioInput', 'imageInput', 'cachedAudioInput', 'audioOutput', 'imageOutput'] as const),
]

/** What one of them does not report counts as nothing beside what the other reports. */
export function addUsage(one: Usage, other: Usage): Usage {
  const sum: Usage = { ...one, absurd: one.absurd || other.absurd }
  for (const name of FIGURES) {
    const figures = [one[name], other[name]].filter((figure) => figure !== undefined)
    if (figures.length > 0) sum[name] = figures.reduce((total, figure) => total + figure, 0)
  }
  return sum
}
