// A request for an upstream of the images dialect. A JSON body that came in this dialect keeps its bytes: only what has to
// change is edited. Files of a form are inserted by the sender.

import type { ImageInput, ImageRequest, UnknownField } from '../../../canonical/image.ts'
import { parsedJson, unsupported } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { editFields, type FieldEdits, setField } from '../../../framing/json/edit-fields.ts'
import { jsonText } from '../../../framing/json/json-text.ts'
import type { EncodedImageRequest, ImageBodyPart, ImageTarget } from '../../image-service.ts'
import { changesFor, type Value } from './changes.ts'
import { isCostly } from './costly-fields.ts'

export function encodeRequest(request: ImageRequest, target: ImageTarget, codec: Codec): EncodedImageRequest {
  const { json, operation } = request
  // A body that names the images to edit where such an upstream reads them keeps its bytes, too.
  if (operation === 'edit' && !(target.editsAsJson && json !== undefined))
    return target.editsAsJson ? encodeJsonEdit(request, target, codec) : encodeForm(request, target, codec)
  const body =
    json === undefined ? [codec.encode(writtenJson(request, target))] : editedJson(json, request, target, codec)
  return { contentType: 'application/json', body }
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
    if (name !== 'model' || value !== request.model) setField(edits, name, JSON.stringify(value))
  return editFields(json.bytes, json, edits, codec)
}

/** Wire names and values of the request's own fields, in the vendor's order. */
function wireFields(request: ImageRequest): [name: string, value: Value | undefined][] {
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
    ['sequential_image_generation', request.series && 'auto'],
  ]
}

function changedFields(request: ImageRequest, target: ImageTarget): Map<string, Value> {
  const fields = new Map<string, Value>()
  for (const [name, value] of wireFields(request)) if (value !== undefined) fields.set(name, value)
  const { set, remove } = changesFor(request, target)
  for (const name of remove) fields.delete(name)
  for (const [name, value] of set) fields.set(name, value)
  return fields
}

/** Those without a price stay behind. */
const passedOn = ({ unknown }: ImageRequest): readonly UnknownField[] => unknown.filter((field) => !isCostly(field))

function writtenJson(request: ImageRequest, target: ImageTarget): string {
  const written = [...changedFields(request, target)].map(
    ([name, value]) => `${jsonText(name)}:${JSON.stringify(value)}`,
  )
  const unknown = passedOn(request).map((field) => `${jsonText(field.name)}:${jsonValueOf(field)}`)
  return `{${[...written, ...unknown].join(',')}}`
}

/** Forms have no types: what looks like a number or a truth value is one. */
const FORM_VALUE = /^(?:true|false|-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?)$/

const jsonValueOf = ({ text, isForm }: UnknownField): string =>
  !isForm || FORM_VALUE.test(text) ? text : jsonText(text)

/** Some upstreams take the images to edit where they take generations: in `image`, as one URL or a list of them. */
function encodeJsonEdit(request: ImageRequest, target: ImageTarget, codec: Codec): EncodedImageRequest {
  const { images, mask } = request
  if (mask !== undefined)
    throw unsupported('mask', "The upstream of this model takes no mask. Describe in 'prompt' what is to be changed.")
  const single = images.length === 1
  const body: ImageBodyPart[] = []
  let text = `${writtenJson(request, target).slice(0, -1)},"image":${single ? '' : '['}`
  for (const [index, image] of images.entries()) {
    if (index > 0) text += ','
    if (image.source.kind === 'url') text += jsonText(image.source.url)
    else {
      text += `"data:${image.mediaType};base64,`
      body.push(codec.encode(text), { image, as: 'base64' })
      text = '"'
    }
  }
  body.push(codec.encode(`${text}${single ? '' : ']'}}`))
  return { contentType: 'application/json', body }
}

function encodeForm(request: ImageRequest, target: ImageTarget, codec: Codec): EncodedImageRequest {
  const { boundary } = target
  const fields = [...changedFields(request, target)].map(([name, value]) => [name, plainText(value)] as const)
  const unknown = passedOn(request).map((field) => [field.name, formValueOf(field)] as const)
  const body: ImageBodyPart[] = []
  // All text fields first: an upstream can then judge the request before it has received the images.
  let text = ''
  for (const [name, value] of [...fields, ...unknown])
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

const plainText = (value: Value): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))

/** In a form a text has no quotes. */
function formValueOf({ text, isForm }: UnknownField): string {
  const value = isForm ? undefined : parsedJson(text)
  return typeof value === 'string' ? value : text
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
