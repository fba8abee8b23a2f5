// Tags of requests: how they are written, those that a key brings, and those that the operator demands.

import type { AttributionConfig } from '../../config/sections/requests/attribution.ts'
import { LONGEST_TAG, MOST_TAGS } from '../../money/budgets/attribution.ts'
import { Failure } from '../../request/failure.ts'
import type { KeyTags } from '../../storage/storage.ts'

/** As they were written, and the header or the field. */
export type WrittenTags = { at: string; values: readonly string[] }

const NONE: readonly string[] = []
/** Such as control characters and halves of characters: tags are compared, stored and shown. */
const UNFIT = /[,\p{C}]/u

/** `name=value` and `name` both begin with it. */
export const nameOf = (tag: string): string => {
  const end = tag.indexOf('=')
  return end === -1 ? tag : tag.slice(0, end)
}

/** What is wrong with a tag; undefined: nothing. */
export function tagError(tag: string): string | undefined {
  if (tag.length > LONGEST_TAG) return `A tag has at most ${LONGEST_TAG} characters.`
  if (UNFIT.test(tag)) return 'A tag has no commas and no control characters.'
  return tag.startsWith('=') ? 'A tag has a name before its =, such as team=search.' : undefined
}

/** Without blanks around them and without repetitions, in order. */
export const canonicalTags = (tags: readonly string[]): readonly string[] =>
  [...new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== ''))].sort()

/** The tags that a request counts under. Throws Failure. */
export function tagsOf(
  written: WrittenTags | undefined,
  ofKey: KeyTags | undefined,
  { requiredTags, allowedTags }: Pick<AttributionConfig, 'requiredTags' | 'allowedTags'>,
): readonly string[] {
  const own = written === undefined ? NONE : readTags(written)
  const tags = ofKey === undefined ? own : withDefaults(own, ofKey, written?.at)
  if (tags.length > MOST_TAGS) throw rejected(tooMany(tags.length), written?.at)
  if (requiredTags.length > 0) demand(tags, requiredTags)
  if (allowedTags.length > 0 && tags.length > 0) checkAllowed(tags, allowedTags, written?.at)
  return tags
}

function readTags({ at, values }: WrittenTags): readonly string[] {
  const tags = canonicalTags(values)
  if (tags.length > MOST_TAGS) throw rejected(tooMany(tags.length), at)
  for (const tag of tags) {
    const error = tagError(tag)
    if (error !== undefined) throw rejected(`${at}: ${error}`, at)
  }
  return tags
}

const tooMany = (count: number): string => `A request has at most ${MOST_TAGS} tags; this one has ${count}.`

/** The key's come before the member's. */
function withDefaults(own: readonly string[], ofKey: KeyTags, at: string | undefined): readonly string[] {
  const tags = withKeyTags(own, ofKey, at)
  const { ofMember } = ofKey
  return ofMember === undefined ? tags : withKeyTags(tags, { tags: ofMember, areLocked: false }, at)
}

/** What the request says of a name holds in place of what the key says, unless the operator has locked the tags of the key. */
function withKeyTags(own: readonly string[], { tags, areLocked }: KeyTags, at: string | undefined): readonly string[] {
  const names = new Set(tags.map(nameOf))
  if (areLocked) {
    const other = own.find((tag) => names.has(nameOf(tag)) && !tags.includes(tag))
    if (other !== undefined) {
      const kept = tags.filter((tag) => nameOf(tag) === nameOf(other)).join(', ')
      throw rejected(`The operator of this gateway has set the tag ${kept} on this key. Leave ${other} out.`, at)
    }
  }
  const said = new Set(own.map(nameOf))
  const added = tags.filter((tag) => !said.has(nameOf(tag)) || areLocked)
  return added.length === 0 ? own : canonicalTags([...own, ...added])
}

function demand(tags: readonly string[], required: readonly string[]): void {
  const missing = required.find((name) => !tags.some((tag) => nameOf(tag) === name))
  if (missing === undefined) return
  throw rejected(
    `This gateway requires the tag ${missing}. Send the header ${TAGS_HEADER}: ${missing}=VALUE.`,
    TAGS_HEADER,
  )
}

export const TAGS_HEADER = 'x-trivium-tags'
/** More of them would be a list to search, not a message to read. */
const MOST_NAMED = 20

function checkAllowed(tags: readonly string[], allowed: readonly string[], at: string | undefined): void {
  for (const tag of tags) {
    const ofName = allowed.filter((each) => nameOf(each) === nameOf(tag))
    if (ofName.length === 0 || ofName.includes(tag)) continue
    const more = ofName.length > MOST_NAMED ? `, and ${ofName.length - MOST_NAMED} more` : ''
    throw rejected(
      `The tag ${tag} is not allowed here. Use one of: ${ofName.slice(0, MOST_NAMED).join(', ')}${more}.`,
      at,
    )
  }
}

const rejected = (message: string, param: string | undefined): Failure =>
  new Failure('bad_request', message, { param: param ?? TAGS_HEADER })
