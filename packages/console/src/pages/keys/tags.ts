// The field of the tags that requests carry by default: of a key, or of a member.

import { useRead } from '../../api/queries.ts'
import { useTexts } from '../../i18n/language.tsx'
import type { Field } from '../../ui/form/fields.ts'

const MOST_TAGS = 16
const LONGEST_TAG = 64
/** More would be a list to search. */
const MOST_NAMED = 12

const tagsIn = (text: string): string[] => text.split(/[,\n]/).flatMap((tag) => tag.trim() || [])
const nameOf = (tag: string): string => tag.split('=')[0] ?? ''

/** `isLocked`: the operator has set them, and the account holder sees them only. */
export function useTagsField({ isLocked = false } = {}): Field<'tags'> {
  const t = useTexts().keys.form
  const { data } = useRead('tags')
  const { required = [], allowed = [] } = data ?? {}
  const shown = (tags: readonly string[]) =>
    tags.length > MOST_NAMED
      ? t.tagsMore(tags.slice(0, MOST_NAMED).join(', '), tags.length - MOST_NAMED)
      : tags.join(', ')
  const hint = [
    t.tagsHint,
    allowed.length > 0 && t.tagsAllowed(shown(allowed)),
    required.length > 0 && t.tagsRequired(shown(required)),
  ]
  return {
    name: 'tags',
    label: t.tags,
    as: 'words',
    optional: true,
    hint: isLocked ? t.tagsOfOperator : hint.filter(Boolean).join(' '),
    isDisabled: () => isLocked,
    wrong(text) {
      const tags = tagsIn(text)
      if (tags.length > MOST_TAGS || tags.some((tag) => tag.length > LONGEST_TAG || tag.startsWith('=')))
        return t.errors.tags
      for (const tag of tags) {
        const values = allowed.filter((each) => nameOf(each) === nameOf(tag))
        if (values.length > 0 && !values.includes(tag)) return t.errors.tagNotAllowed(tag, shown(values))
      }
      return undefined
    },
    write: tagsIn,
  }
}
