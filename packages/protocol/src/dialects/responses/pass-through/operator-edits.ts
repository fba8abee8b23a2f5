// What the operator of a route may change in a responses request.
import { setField } from '../../../framing/json/edit-fields.ts'
import { decodeString, fieldNamed } from '../../../framing/json/json-scan.ts'
import { jsonText } from '../../../framing/json/json-text.ts'
import { aroundText, type EditableFields } from '../../shared/pass-through/operator-edits.ts'
import { NAMES, REQUEST } from './fields.ts'

export const editable: EditableFields = {
  fields: REQUEST,
  fixed: [
    ...['model', 'input', 'instructions', 'stream', 'stream_options', 'include', 'store', 'background', 'prompt'],
    ...['tools', 'tool_choice', 'parallel_tool_calls', 'previous_response_id', 'conversation'],
  ],
  caps: ['max_output_tokens'],
  fold: NAMES.fields.fold,
  addSystem({ bytes, scan, codec }, into, text) {
    const own = fieldNamed(scan.fields, 'instructions')
    const said = own?.kind === 'string' ? decodeString(bytes, own.start, own.end, codec) : undefined
    setField(into, 'instructions', jsonText(aroundText(text, said)))
  },
}
