// How near texts are to each other: the cosine of the angle between their vectors.

/** `closeness[i][j]`: 1 for the same direction, 0 for nothing in common. */
export type Similarity = { dimensions: number; closeness: readonly (readonly number[])[] }

export function similarityOf(vectors: readonly (readonly number[])[]): Similarity {
  const closeness = vectors.map((one) => vectors.map((two) => cosine(one, two)))
  return { dimensions: vectors[0]?.length ?? 0, closeness }
}

/** Vendors round vectors to length 1, but not all of them do. */
function cosine(one: readonly number[], two: readonly number[]): number {
  const lengths = Math.sqrt(product(one, one) * product(two, two))
  return lengths === 0 ? 0 : product(one, two) / lengths
}

const product = (one: readonly number[], two: readonly number[]): number =>
  one.reduce((sum, value, index) => sum + value * (two[index] ?? 0), 0)
