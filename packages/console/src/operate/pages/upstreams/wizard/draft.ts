// An upstream that is being added, step by step. It is kept in this tab: a reload or a look at another page loses nothing but the key, which
// is never stored.
import { useState } from 'react'
import type { Body } from '../../../api/routes.ts'

export const STEPS = ['kind', 'key', 'test', 'models', 'group', 'review'] as const
export type StepId = (typeof STEPS)[number]

/** Chosen in the place of a built-in kind. */
export const CUSTOM = 'custom'
export const DIALECTS = ['chat', 'responses', 'messages', 'generate-content', 'images', 'video-tasks'] as const

export type Draft = {
  step: StepId
  kind: string
  dialect: string
  baseUrl: string
  /** Empty: international. */
  region: '' | 'china'
  key: string
  /** Its name here. */
  id: string
  /** What the upstream lists, and names that were typed. */
  found: readonly string[]
  /** What opaque names among these stand for. */
  baseModels: readonly { model: string; base_model: string }[]
  /** The model that has answered. */
  tested: string
  /** undefined: those with a price. */
  chosen: readonly string[] | undefined
  /** On top of the list price, in percent. */
  markup: string
  /** Prices of models that the price list does not have: USD per million tokens. */
  prices: Readonly<Record<string, { input: string; output: string }>>
  groups: readonly string[]
  newGroup: string
}

export const EMPTY: Draft = {
  step: 'kind',
  kind: '',
  dialect: 'chat',
  baseUrl: '',
  region: '',
  key: '',
  id: '',
  found: [],
  baseModels: [],
  tested: '',
  chosen: undefined,
  markup: '0',
  prices: {},
  groups: [],
  newGroup: '',
}

const NAME = 'trivium-upstream-draft'
let keptKey = ''

export type SetDraft = (change: Partial<Draft>) => void

export function useDraft(): [draft: Draft, set: SetDraft, clear: () => void] {
  const [draft, setDraft] = useState(restored)
  const set: SetDraft = (change) =>
    setDraft((former) => {
      const next = { ...former, ...change }
      keptKey = next.key
      sessionStorage.setItem(NAME, JSON.stringify({ ...next, key: '' }))
      return next
    })
  const clear = () => {
    keptKey = ''
    sessionStorage.removeItem(NAME)
    setDraft(EMPTY)
  }
  return [draft, set, clear]
}

function restored(): Draft {
  try {
    const kept = { ...EMPTY, ...(JSON.parse(sessionStorage.getItem(NAME) ?? '{}') as Partial<Draft>), key: keptKey }
    // Without its key nothing of what follows can be done.
    return kept.step !== 'kind' && kept.step !== 'key' && keptKey === '' ? { ...kept, step: 'key' } : kept
  } catch {
    return EMPTY
  }
}

export type WrittenUpstream = Body<'POST', 'upstream-drafts/models'>

/** As it is tested, and later stored. */
export function upstreamOf({ kind, dialect, baseUrl, region, key }: Draft) {
  return {
    ...(kind === CUSTOM ? { dialect } : { kind }),
    ...(baseUrl === '' ? {} : { base_url: baseUrl.trim() }),
    ...(region === '' || baseUrl !== '' ? {} : { region }),
    ...(key === '' ? {} : { keys: [key.trim()] }),
  }
}
