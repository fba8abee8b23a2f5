// Section `attribution`: what is kept of whom and what requests are for, and which tags they must and may carry.

import { LONGEST_TAG } from '../../../money/budgets/attribution.ts'
import { addMistake, type YamlValue } from '../../../yaml/document.ts'
import { fieldsOf, listOf, quote } from '../../../yaml/fields.ts'
import { readText } from '../../../yaml/scalars.ts'
import { readRows, rulesOf, setting, type ValuesOf, word, written } from '../../settings/setting.ts'

/** In each of the two lists. */
const MOST_ENTRIES = 1_000

export const ATTRIBUTION = {
  endUsers: setting('end_users', word(['plain', 'hashed', 'off']), 'hashed', {
    en: 'How end users are kept: as they were given, as a keyed hash that differs between accounts, or not at all.',
    zh: '最终用户的保存方式：原样、各账户不同的密钥哈希，或不保存。',
  }),
  requiredTags: setting('required_tags', written('texts', few(listOf(readTagName, '[team]'))), [], {
    en: 'Names of tags without which a request is rejected.',
    zh: '请求必须带有的标签名称，缺少则拒绝。',
  }),
  allowedTags: setting('allowed_tags', written('texts', few(listOf(readTag, '[env=prod, env=test]'))), [], {
    en: 'Tags such as `env=prod`. Of the names that occur here, requests carry these values only; other names are free.',
    zh: '标签，例如 `env=prod`。此处出现的名称，请求只能使用这些值；其他名称不受限制。',
  }),
}

export type AttributionConfig = ValuesOf<typeof ATTRIBUTION>

export function readAttribution(value: YamlValue) {
  const example = 'attribution: { end_users: hashed, required_tags: [team] }'
  const fields = fieldsOf(value, rulesOf(ATTRIBUTION), example)
  return fields && readRows(fields, ATTRIBUTION)
}

function few(read: (value: YamlValue) => string[] | undefined) {
  return (value: YamlValue): readonly string[] | undefined => {
    const list = read(value)
    if (list === undefined || list.length <= MOST_ENTRIES) return list && [...new Set(list)].sort()
    addMistake(value, `has ${list.length} entries; at most ${MOST_ENTRIES} are allowed`)
    return undefined
  }
}

/** `name`, as tags begin: no comma, which separates tags, and no control character. */
const NAME = /^[^\s,=\p{C}][^,=\p{C}]*$/u

function readTagName(value: YamlValue): string | undefined {
  const name = readText(value)
  if (name === undefined || (NAME.test(name) && name.length <= LONGEST_TAG)) return name
  addMistake(
    value,
    `${quote(name)} is not the name of a tag; write one such as team, of at most ${LONGEST_TAG} characters`,
  )
  return undefined
}

function readTag(value: YamlValue): string | undefined {
  const tag = readText(value)
  if (tag === undefined || (tag.length <= LONGEST_TAG && /^[^\s,=\p{C}][^,=\p{C}]*=[^,\p{C}]+$/u.test(tag))) return tag
  addMistake(value, `${quote(tag)} is not a tag such as env=prod, of at most ${LONGEST_TAG} characters`)
  return undefined
}
