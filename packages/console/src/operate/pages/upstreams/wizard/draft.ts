// An upstream that is being added, step by step, and what is written of it. Pure.
import type { Body } from '../../../api/routes.ts'
import { type Auth, BY_KEY, type Place, writtenAuth, writtenPlace } from '../cloud.ts'

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
  /** Where it is in a cloud, and what authorises the requests. */
  place: Place
  auth: Auth
  key: string
  /** Its name here. */
  id: string
  /** Where the models were listed. */
  listedAt: string
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
  place: {},
  auth: BY_KEY,
  key: '',
  id: '',
  listedAt: '',
  found: [],
  baseModels: [],
  tested: '',
  chosen: undefined,
  markup: '0',
  prices: {},
  groups: [],
  newGroup: '',
}

export type SetDraft = (change: Partial<Draft>) => void

export type WrittenUpstream = Body<'POST', 'upstream-drafts/models'>

/** As it is tested, and later stored. */
export function upstreamOf({ kind, dialect, baseUrl, region, place, auth, key }: Draft) {
  return {
    ...(kind === CUSTOM ? { dialect } : { kind }),
    ...(baseUrl === '' ? {} : { base_url: baseUrl.trim() }),
    ...(region === '' || baseUrl !== '' ? {} : { region }),
    ...writtenPlace(place, baseUrl),
    ...(auth.type !== 'key' ? { auth: writtenAuth(auth) } : key === '' ? {} : { keys: [key.trim()] }),
  }
}
