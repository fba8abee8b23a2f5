// The same request as JSON, which some clients send in place of a form: the audio is base64 in `input_audio`, and all other
// members are the fields of the form.

import { standardBase64 } from '../../../canonical/media.ts'
import {
  isObject,
  type Json,
  RequestError,
  readObject,
  readString,
  unsupported,
  wrong,
} from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { knownNames, namesOf } from '../../shared/pass-through/known-names.ts'
import { isGiven } from '../../shared/pass-through/priced-fields.ts'
import { readBody } from '../../shared/pass-through/request.ts'
import { FIELDS, type FormField } from './decode-form.ts'

const AUDIO = { data: 1, format: 1 }
const NAMES = knownNames(namesOf(FIELDS, { input_audio: 1 }), { input_audio: { own: namesOf(AUDIO) } })

export type JsonForm = { fields: FormField[]; filename: string | undefined; base64: string }

/** Names become headers of a form. */
const NAME = /^[\w.-]{1,64}$/
const FORMAT = /^[a-z0-9]{1,8}$/i

/** Throws RequestError. */
export function decodeJsonForm(
  bytes: Uint8Array,
  codec: Codec,
  bounds: { values: number; fields: number; bytes: number },
): JsonForm {
  const { body } = readBody(bytes, codec, NAMES, bounds.values)
  const { input_audio: _, ...others } = body
  const fields = Object.entries(others).flatMap(([name, value]) => fieldsOf(name, value))
  const size = fields.reduce((sum, { value }) => sum + value.length, 0)
  if (fields.length > bounds.fields || size > bounds.bytes) {
    const message = `The fields beside input_audio exceed the limit of ${bounds.fields} values or ${bounds.bytes} characters.`
    throw new RequestError('request_too_large', undefined, message)
  }
  return { fields, ...audioIn(body) }
}

function audioIn(body: Json): Pick<JsonForm, 'filename' | 'base64'> {
  const audio = readObject(body, 'input_audio')
  if (audio === undefined) throw wrong('input_audio', 'input_audio is required: send the audio in base64 as its data')
  const other = Object.keys(audio).find((name) => !Object.hasOwn(AUDIO, name) && isGiven(audio[name]))
  if (other !== undefined)
    throw unsupported(`input_audio.${other}`, `input_audio.${other} is not supported. Send data and format.`)
  const base64 = standardBase64(readString(audio, 'data', 'input_audio') ?? '')
  if (base64 === undefined) throw wrong('input_audio.data', 'input_audio.data must be audio in base64')
  const format = readString(audio, 'format', 'input_audio') ?? ''
  if (format !== '' && !FORMAT.test(format))
    throw wrong('input_audio.format', 'input_audio.format must be the extension of such files, such as wav or mp3')
  return { base64, filename: format === '' ? undefined : `audio.${format}` }
}

function fieldsOf(name: string, value: unknown): FormField[] {
  if (value === null) return []
  if (!NAME.test(name))
    throw wrong(name.slice(0, 64), 'The names of fields must consist of letters, digits, _, . and -')
  if (Array.isArray(value)) return value.map((each) => ({ name: `${name}[]`, value: textOf(each) }))
  return [{ name, value: textOf(value) }]
}

const textOf = (value: unknown): string =>
  isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value)
