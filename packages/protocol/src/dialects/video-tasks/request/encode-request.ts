// A submit for an upstream of the same dialect: the client's own bytes, with the few edits that are needed.

import type { VideoRequest, VideoSetting, VideoSettings } from '../../../canonical/video.ts'
import type { Codec } from '../../../framing/codec.ts'
import {
  editElements,
  editedObject,
  editFields,
  elementsOf,
  type FieldEdits,
  setField,
} from '../../../framing/json/edit-fields.ts'
import { fieldNamed } from '../../../framing/json/json-scan.ts'
import { jsonText } from '../../../framing/json/json-text.ts'
import type { Pieces } from '../../../framing/splice.ts'
import { editFlags } from '../../shared/videos/prompt-flags.ts'
import { SETTING_NAMES, SETTINGS } from '../../shared/videos/settings.ts'
import type { VideoTarget } from '../../video-service.ts'

/** `callback_url` stays here: the gateway calls it, with its own ids and URLs. */
export function encodeRequest(request: VideoRequest, target: VideoTarget, codec: Codec): Pieces {
  const { json, model } = request
  const tools = keptTools(request, target, codec)
  const dropped = [...(target.drop ?? []), ...(tools?.length === 0 ? ['tools'] : [])]
  const edits: FieldEdits = { set: [], remove: ['callback_url', ...(request.attribution?.own ?? []), ...dropped] }
  if (tools && tools.length > 0) setField(edits, 'tools', `[${tools.join(',')}]`)
  if (target.model !== model) setField(edits, 'model', jsonText(target.model))
  if (target.reference !== undefined) setField(edits, 'safety_identifier', jsonText(target.reference))
  const override = target.override ?? {}
  for (const setting of SETTINGS) {
    const name = SETTING_NAMES[setting]
    const value = override[setting] ?? defaultFor(request, target.defaults, setting)
    if (value === undefined) continue
    const field = fieldNamed(json.fields, name)
    const isField = field !== undefined && field.kind !== 'null'
    if (isField || !hasFlag(request, setting)) setField(edits, name, jsonValue(value))
  }
  const content = editedContent(request, target, codec)
  if (content !== undefined) setField(edits, 'content', content)
  return editFields(json.bytes, json, edits, codec)
}

/** The tools that are sent, as they were written. undefined: all of them. */
function keptTools({ tools, json }: VideoRequest, { dropTools = [] }: VideoTarget, codec: Codec): string[] | undefined {
  const field = fieldNamed(json.fields, 'tools')
  if (field === undefined || !tools.some((type) => dropTools.includes(type))) return undefined
  return elementsOf(json.bytes, field.start, field.end).flatMap(({ start, end }, index) =>
    dropTools.includes(tools[index] ?? '') ? [] : [codec.decode(json.bytes, start, end)],
  )
}

/** A length in frames needs no duration. */
function defaultFor({ settings }: VideoRequest, defaults: VideoSettings, setting: VideoSetting) {
  if (settings[setting] !== undefined) return undefined
  if (setting === 'duration' && settings.frames !== undefined) return undefined
  if (setting === 'frames' && settings.duration !== undefined) return undefined
  return defaults[setting]
}

const hasFlag = ({ texts }: VideoRequest, setting: VideoSetting): boolean =>
  texts.some(({ flags }) => flags.some((flag) => flag.setting === setting))

const jsonValue = (value: string | number | boolean): string =>
  typeof value === 'string' ? jsonText(value) : String(value)

/** Undefined: nothing in it changes. */
function editedContent(
  { texts, inputs, json }: VideoRequest,
  { override = {}, draftTask }: VideoTarget,
  codec: Codec,
): Uint8Array | undefined {
  const field = fieldNamed(json.fields, 'content')
  const changed = new Map<number, { name: string; json: string }>()
  for (const { item, text, flags } of texts) {
    const edited = editFlags(text, flags, ({ setting, value }) =>
      override[setting] === value ? undefined : override[setting],
    )
    if (edited !== text) changed.set(item, { name: 'text', json: jsonText(edited) })
  }
  const draft = inputs.find(({ kind }) => kind === 'draft')
  if (draft && draftTask !== undefined)
    changed.set(draft.item, { name: 'draft_task', json: `{"id":${jsonText(draftTask)}}` })
  if (field === undefined || changed.size === 0) return undefined
  return editElements(json.bytes, field, (index, element) => {
    const edit = changed.get(index)
    if (edit === undefined) return element
    const whole = { start: 0, end: element.length }
    return editedObject(element, whole, { set: [edit], remove: [] }, codec)
  })
}
