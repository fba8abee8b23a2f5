// What a request is spent for, as the ledger keeps it: the sums of an account tell it apart by these.

/** '' and no tags: none. A request without any of them has no attribution. */
export type Attribution = {
  /** `name=value` or `name`, sorted, each once. */
  tags: readonly string[]
  /** As it is kept: as it was given, or its hash. */
  endUser: string
  session: string
}

export const MOST_TAGS = 16
/** Characters of a tag. */
export const LONGEST_TAG = 64
/** Characters of an end user or a session, as it is kept. */
export const LONGEST_NAME = 128

/** By one of them at a time sums are kept. */
export const ATTRIBUTION_DIMENSIONS = ['tag', 'end_user'] as const
export type AttributionDimension = (typeof ATTRIBUTION_DIMENSIONS)[number]

/** The distinct values of a dimension that an account has sums for on one day; further ones are added up as FURTHER_VALUES. */
export const MOST_VALUES = 10_000
/** No tag and no end user is empty. */
export const FURTHER_VALUES = ''

const SEPARATOR = ','
export const joinTags = (tags: readonly string[]): string => tags.join(SEPARATOR)
export const splitTags = (text: string): readonly string[] => (text === '' ? NO_TAGS : text.split(SEPARATOR))
const NO_TAGS: readonly string[] = []
