// What the operator of a route may change in a generate-content request.
import { isObject } from '../../../canonical/reading.ts'
import { setField } from '../../../framing/json/edit-fields.ts'
import { aroundParts, aroundText, type EditableFields } from '../../shared/pass-through/operator-edits.ts'
import { CONFIG, NAMES, REQUEST } from './fields.ts'

const { fold } = NAMES.fields
const FIELD = 'systemInstruction'

export const editable: EditableFields = {
  fields: REQUEST,
  members: { generationConfig: CONFIG },
  fixed: [
    ...[
      'model',
      'contents',
      FIELD,
      'tools',
      'toolConfig',
      'store',
      'continuationToken',
      'cachedContent',
      'outputConfig',
    ],
    ...['generationConfig.candidateCount', 'generationConfig.responseModalities'],
  ],
  caps: ['generationConfig.maxOutputTokens'],
  fold,
  addSystem({ bytes, scan, codec }, into, text) {
    const field = scan.fields.find(({ name }) => fold(name) === fold(FIELD))
    const own: unknown = field && JSON.parse(codec.decode(bytes, field.start, field.end))
    const parts = isObject(own) && Array.isArray(own.parts) ? own.parts : undefined
    const said = typeof own === 'string' ? own : undefined
    const edited = parts
      ? { ...(own as object), parts: aroundParts<unknown>(text, parts, (each) => ({ text: each })) }
      : { parts: [{ text: aroundText(text, said) }] }
    setField(into, field?.name ?? FIELD, JSON.stringify(edited))
  },
}
