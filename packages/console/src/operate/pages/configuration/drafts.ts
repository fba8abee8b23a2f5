// What a person has typed into the form of settings, and the change that it means. Pure.
import { parsed } from '../../../api/body.ts'
import { type Patch, withPart } from '../../../ui/form/patches.ts'
import type { Setting } from './source.tsx'

/** `null`: back to the default. */
export type Draft = string | null
/** By the ids of settings. */
export type Drafts = ReadonlyMap<string, Draft>

type Texts = { notJson: string; notNumber: string }

/** As the field shows it. */
export function writtenValue({ type, value, secret }: Setting): string {
  if (value === null || value === undefined || secret) return ''
  if (type === 'objects') return JSON.stringify(value, undefined, 2)
  return Array.isArray(value) ? value.join(', ') : String(value)
}

/** What is wrong before anything is sent, by id. */
export function wrongIn(settings: readonly Setting[], drafts: Drafts, texts: Texts): Record<string, string> {
  const wrong: Record<string, string> = {}
  for (const { id, type } of settings) {
    const draft = drafts.get(id)
    if (draft === undefined || draft === null) continue
    if (type === 'objects' && !Array.isArray(parsed(draft))) wrong[id] = texts.notJson
    if (type === 'integer' && !/^\d{1,15}$/.test(draft.trim())) wrong[id] = texts.notNumber
  }
  return wrong
}

function typedValue({ type }: Setting, draft: string): unknown {
  const text = draft.trim()
  if (type === 'boolean') return text === 'true'
  if (type === 'integer') return Number(text)
  if (type === 'objects') return parsed(text)
  if (type === 'texts' || type === 'words')
    return text
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '')
  return text
}

/** The drafts as a merge patch: `{ registration: { open: true } }`. */
export const patchOf = (settings: readonly Setting[], drafts: Drafts): Patch =>
  settings.reduce((patch, setting) => {
    const draft = drafts.get(setting.id)
    return draft === undefined ? patch : withPart(patch, setting.id, draft === null ? null : typedValue(setting, draft))
  }, {})
