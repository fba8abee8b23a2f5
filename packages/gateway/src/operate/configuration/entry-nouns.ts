// The nouns of the configuration: lists of entries, of which each has an id. Settings are no list, and have a file of their own.
import { GROUP_FIELDS } from '../../config/sections/groups.ts'
import { MODEL_FIELDS } from '../../config/sections/models.ts'
import { UPSTREAM_FIELDS } from '../../config/sections/upstreams.ts'

export type NounKind = 'upstream' | 'model' | 'group'

type Noun = {
  /** As in the file. */
  section: 'upstreams' | 'models' | 'groups'
  /** All fields but the id. */
  fields: readonly string[]
  /** A change of these alone is one of prices. */
  priceFields: readonly string[]
  /** What the description of a change adds. */
  pricesAlone: string
}

const namesOf = (fields: object): string[] => Object.keys(fields).filter((name) => name !== 'id')

export const NOUNS: Readonly<Record<NounKind, Noun>> = {
  upstream: { section: 'upstreams', fields: namesOf(UPSTREAM_FIELDS), priceFields: [], pricesAlone: '' },
  model: {
    section: 'models',
    fields: namesOf(MODEL_FIELDS),
    priceFields: ['price'],
    pricesAlone: '; a change of the price alone needs the permission on money',
  },
  group: {
    section: 'groups',
    fields: namesOf(GROUP_FIELDS),
    priceFields: ['multiplier', 'prices'],
    pricesAlone: '; a change of prices alone needs the permission on money',
  },
}
