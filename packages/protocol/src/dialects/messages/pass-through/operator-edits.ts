// What the operator of a route may change in a messages request.
import { setField } from '../../../framing/json/edit-fields.ts'
import { fieldNamed } from '../../../framing/json/json-scan.ts'
import { aroundParts, aroundText, type EditableFields } from '../../shared/pass-through/operator-edits.ts'
import { NAMES, REQUEST } from './fields.ts'

export const editable: EditableFields = {
  fields: REQUEST,
  fixed: [
    ...['model', 'messages', 'system', 'stream', 'tools', 'tool_choice', 'container', 'mcp_servers', 'thread'],
    ...['betas', 'user_profile_id', 'workspace_id'],
  ],
  caps: ['max_tokens'],
  fold: NAMES.fields.fold,
  addSystem({ bytes, scan, codec }, into, text) {
    const field = fieldNamed(scan.fields, 'system')
    const own: unknown = field && JSON.parse(codec.decode(bytes, field.start, field.end))
    const system = Array.isArray(own)
      ? aroundParts<unknown>(text, own, (said) => ({ type: 'text', text: said }))
      : aroundText(text, typeof own === 'string' ? own : undefined)
    setField(into, 'system', JSON.stringify(system))
  },
}
