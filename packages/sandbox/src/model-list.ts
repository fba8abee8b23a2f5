// The model list, in the forms that the SDKs read.

export const SANDBOX_TEXT = 'sandbox-text'

/** Two SDKs call this path; each reads the fields it knows. */
export function modelList(): unknown {
  const model = {
    ...{ id: SANDBOX_TEXT, object: 'model', created: 0, owned_by: 'sandbox' },
    ...{ type: 'model', display_name: 'Sandbox', created_at: '1970-01-01T00:00:00Z' },
  }
  return { object: 'list', data: [model], has_more: false, first_id: SANDBOX_TEXT, last_id: SANDBOX_TEXT }
}

export function generateContentModelList(): unknown {
  const supportedGenerationMethods = ['generateContent', 'streamGenerateContent']
  return { models: [{ name: `models/${SANDBOX_TEXT}`, displayName: 'Sandbox', supportedGenerationMethods }] }
}
