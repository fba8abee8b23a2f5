/** What a chart shows of one model or key. */
export type Series = {
  name: string
  /** A class of text. */
  colour: string
  label: string
  /** One per step: heights, and the same as exact text. */
  values: readonly number[]
  shown: readonly string[]
}
