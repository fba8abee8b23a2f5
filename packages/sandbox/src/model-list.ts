// The model list, in the forms that the SDKs read.

import { SANDBOX_IMAGE } from './images/image-call.ts'
import { SANDBOX_VIDEO } from './video/submit.ts'

export const SANDBOX_TEXT = 'sandbox-text'
const GENERATE = ['generateContent', 'streamGenerateContent']
export type ListedModel = { id: string; name: string; methods: readonly string[] }
const MODELS: readonly ListedModel[] = [
  { id: SANDBOX_TEXT, name: 'Sandbox', methods: GENERATE },
  { id: SANDBOX_IMAGE, name: 'Sandbox images', methods: GENERATE },
  { id: SANDBOX_VIDEO, name: 'Sandbox videos', methods: ['predictLongRunning'] },
]

/** Two SDKs call this path; each reads the fields it knows. */
export function modelList(others: readonly ListedModel[]): unknown {
  const data = [...MODELS, ...others].map(({ id, name }) => ({
    id,
    object: 'model',
    created: 0,
    owned_by: 'sandbox',
    type: 'model',
    display_name: name,
    created_at: '1970-01-01T00:00:00Z',
  }))
  return { object: 'list', data, has_more: false, first_id: data[0]?.id, last_id: data.at(-1)?.id }
}

export function generateContentModelList(others: readonly ListedModel[]): unknown {
  return {
    models: [...MODELS, ...others].map(({ id, name, methods }) => ({
      name: `models/${id}`,
      displayName: name,
      supportedGenerationMethods: methods,
    })),
  }
}
