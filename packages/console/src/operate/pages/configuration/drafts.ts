// What a person has typed into the form of settings, and the change that it means. Pure.
import { parsed } from '../../../api/body.ts'
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

type Patch = { [name: string]: unknown }

/** The drafts as a merge patch: `{ registration: { open: true } }`. */
export function patchOf(settings: readonly Setting[], drafts: Drafts): Patch {
  const patch: Patch = {}
  for (const [id, draft] of drafts) {
    const setting = settings.find((each) => each.id === id)
    if (setting) setAt(patch, id.split('.'), draft === null ? null : typedValue(setting, draft))
  }
  return patch
}

function setAt(patch: Patch, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) patch[name] = value
  else {
    const inner = patch[name]
    const next = typeof inner === 'object' && inner !== null ? (inner as Patch) : {}
    patch[name] = next
    setAt(next, rest, value)
  }
}
