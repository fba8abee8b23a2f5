// A request for an upstream of the images dialect. A JSON body that came in this dialect keeps its bytes: only what has to
// change is edited. Files of a form are inserted by the sender.

import type { ImageInput, ImageRequest } from '../../../canonical/image.ts'
import { unsupported } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { editFields, type FieldEdits, setField } from '../../../framing/json/edit-fields.ts'
import { jsonText } from '../../../framing/json/json-text.ts'
import type { EncodedImageRequest, ImageBodyPart, ImageTarget } from '../../image-service.ts'

export function encodeRequest(request: ImageRequest, target: ImageTarget, codec: Codec): EncodedImageRequest {
  if (request.operation === 'edit')
    return target.editsAsJson ? encodeJsonEdit(request, target, codec) : encodeForm(request, target, codec)
  const { json } = request
  const body =
    json === undefined ? [codec.encode(writtenJson(request, target))] : editedJson(json, request, target, codec)
  return { contentType: 'application/json', body }
}

type Changes = { set: [name: string, value: string | number | boolean][]; remove: string[] }

/** What must differ from the request as the client sent it. */
function changesFor(request: ImageRequest, target: ImageTarget): Changes {
  const changes: Changes = { set: [['model', target.model]], remove: [] }
  if (target.stream !== request.stream) {
    if (target.stream) changes.set.push(['stream', true])
    else changes.remove.push('stream')
  }
  if (!target.stream) changes.remove.push('partial_images')
  if (target.n !== undefined && target.n !== request.n) changes.set.push(['n', target.n])
  if (target.responseFormat === 'omit') changes.remove.push('response_format')
  else if (target.responseFormat === 'b64_json' && request.responseFormat !== 'b64_json')
    changes.set.push(['response_format', 'b64_json'])
  if (target.endUser === null) changes.remove.push('user')
  else if (target.endUser !== undefined) changes.set.push(['user', target.endUser])
  return changes
}

function editedJson(
  json: NonNullable<ImageRequest['json']>,
  request: ImageRequest,
  target: ImageTarget,
  codec: Codec,
): readonly Uint8Array[] {
  const { set, remove } = changesFor(request, target)
  const edits: FieldEdits = { set: [], remove }
  for (const [name, value] of set)
    if (name !== 'model' || value !== request.model) setField(edits, name, jsonValue(value))
  return editFields(json.bytes, json, edits, codec)
}

const jsonValue = (value: string | number | boolean): string =>
  typeof value === 'string' ? jsonText(value) : String(value)

/** Wire names and values of the request's own fields, in the vendor's order. */
function wireFields(request: ImageRequest): [name: string, value: string | number | boolean | undefined][] {
  return [
    ['model', request.model],
    ['prompt', request.prompt],
    ['n', request.n === 1 ? undefined : request.n],
    ['size', request.size],
    ['quality', request.quality],
    ['background', request.background],
    ['output_format', request.outputFormat],
    ['output_compression', request.outputCompression],
    ['moderation', request.moderation],
    ['style', request.style],
    ['input_fidelity', request.inputFidelity],
    ['response_format', request.responseFormat],
    ['user', request.user],
    ['stream', request.stream ? true : undefined],
    ['partial_images', request.partialImages],
  ]
}

function changedFields(request: ImageRequest, target: ImageTarget): Map<string, string | number | boolean> {
  const fields = new Map<string, string | number | boolean>()
  for (const [name, value] of wireFields(request)) if (value !== undefined) fields.set(name, value)
  const { set, remove } = changesFor(request, target)
  for (const name of remove) fields.delete(name)
  for (const [name, value] of set) fields.set(name, value)
  return fields
}

function writtenJson(request: ImageRequest, target: ImageTarget): string {
  const written = [...changedFields(request, target)].map(([name, value]) => `${jsonText(name)}:${jsonValue(value)}`)
  return `{${[...written, ...request.unknown.map(({ name, text }) => `${jsonText(name)}:${text}`)].join(',')}}`
}

/** Some upstreams take the images to edit where they take generations: in `image`, as one data URL or a list of them. */
function encodeJsonEdit(request: ImageRequest, target: ImageTarget, codec: Codec): EncodedImageRequest {
  const { images, mask, unknown } = request
  if (mask !== undefined)
    throw unsupported('mask', "The upstream of this model takes no mask. Describe in 'prompt' what is to be changed.")
  const typed = unknown.map(({ name, text }) => ({ name, text: FORM_VALUE.test(text) ? text : jsonText(text) }))
  const single = images.length === 1
  const body: ImageBodyPart[] = []
  let text = `${writtenJson({ ...request, unknown: typed }, target).slice(0, -1)},"image":${single ? '' : '['}`
  for (const [index, image] of images.entries()) {
    text += `${index === 0 ? '' : ','}"data:${image.mediaType};base64,`
    body.push(codec.encode(text), { image, as: 'base64' })
    text = '"'
  }
  body.push(codec.encode(`${text}${single ? '' : ']'}}`))
  return { contentType: 'application/json', body }
}

/** Forms have no types: what looks like a number or a truth value is one. */
const FORM_VALUE = /^(?:true|false|-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?)$/

function encodeForm(request: ImageRequest, target: ImageTarget, codec: Codec): EncodedImageRequest {
  const { boundary } = target
  const fields = [...changedFields(request, target)].map(([name, value]) => [name, String(value)] as const)
  const body: ImageBodyPart[] = []
  // All text fields first: an upstream can then judge the request before it has received the images.
  let text = ''
  for (const [name, value] of [...fields, ...request.unknown.map(({ name, text }) => [name, text] as const)])
    text += `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`
  const single = request.images.length === 1
  const files = request.images.map((image, index) => ({ name: single ? 'image' : 'image[]', image, index }))
  if (request.mask !== undefined) files.push({ name: 'mask', image: request.mask, index: 0 })
  for (const { name, image, index } of files) {
    text += fileHead(boundary, name, image, index)
    body.push(codec.encode(text), { image, as: 'bytes' })
    text = '\r\n'
  }
  body.push(codec.encode(`${text}--${boundary}--\r\n`))
  return { contentType: `multipart/form-data; boundary=${boundary}`, body }
}

/** The client's file name is not passed on: only its extension matters to upstreams, and the content decides it. */
function fileHead(boundary: string, name: string, { mediaType }: ImageInput, index: number): string {
  const extension = mediaType === 'image/jpeg' ? 'jpg' : mediaType.slice('image/'.length)
  const filename = `${name === 'mask' ? 'mask' : `image-${index}`}.${extension}`
  const disposition = `content-disposition: form-data; name="${name}"; filename="${filename}"`
  return `--${boundary}\r\n${disposition}\r\ncontent-type: ${mediaType}\r\n\r\n`
}

/** As browsers do it. */
const quoted = (name: string): string => name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
