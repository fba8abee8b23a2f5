// How alike two texts are: by the words that they share. Deterministic, and easy to check by hand.

export const wordsIn = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])

/** From 0, without a common word, to 1: the cosine of the two sets. */
export function overlapOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0
  const shared = [...one].filter((word) => other.has(word)).length
  return shared / Math.sqrt(one.size * other.size)
}
