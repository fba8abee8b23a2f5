// The items of `content`: texts, images and other inputs, and which of them go together.

import {
  asArray,
  asObject,
  below,
  isObject,
  type Json,
  type RequestError,
  readString,
  wrong,
} from '../../../canonical/reading.ts'
import type { VideoInput, VideoInputSource, VideoMode, VideoRole, VideoText } from '../../../canonical/video.ts'
import { findFlags } from '../../shared/videos/prompt-flags.ts'
import { readSource } from './input-source.ts'

type Media = { kind: 'image' | 'video' | 'audio'; roles: readonly VideoRole[]; most: number }

const MEDIA = {
  image_url: { kind: 'image', roles: ['first_frame', 'last_frame', 'reference_image', 'mask'], most: 9 },
  video_url: { kind: 'video', roles: ['reference_video'], most: 3 },
  audio_url: { kind: 'audio', roles: ['reference_audio'], most: 3 },
} as const satisfies Record<string, Media>

type MediaType = keyof typeof MEDIA
const isMediaType = (type: string): type is MediaType => Object.hasOwn(MEDIA, type)
const TYPES = ['text', ...Object.keys(MEDIA), 'draft_task'] as const
export const MOST_ITEMS = 32
export const MOST_PROMPT = 20_000

export type VideoContent = { texts: VideoText[]; inputs: VideoInput[]; mode: VideoMode }

/** Throws RequestError. */
export function readContent(value: unknown): VideoContent {
  if (value === undefined || value === null) throw wrong('content', 'content is required')
  const items = asArray(value, 'content')
  if (items.length === 0) throw wrong('content', 'content must not be empty')
  if (items.length > MOST_ITEMS) throw wrong('content', `content must not have more than ${MOST_ITEMS} items`)
  const texts: VideoText[] = []
  const inputs: VideoInput[] = []
  for (const [item, element] of items.entries()) {
    const at = `content[${item}]`
    const object = asObject(element, at)
    const type = readType(object, at)
    if (type === 'text') texts.push(readText(object, item, at))
    else if (isMediaType(type)) inputs.push(readMedia(object, type, item, at))
    else inputs.push(readDraft(object, item, at))
  }
  checkPrompt(texts)
  checkCounts(inputs)
  return { texts, inputs, mode: readMode(texts, inputs) }
}

/** An item has one payload, under the name of its type. */
function readType(item: Json, at: string): (typeof TYPES)[number] {
  const type = readString(item, 'type', at)
  const known = TYPES.find((candidate) => candidate === type)
  if (known === undefined) throw wrong(`${at}.type`, `${at}.type must be one of ${TYPES.join(', ')}`)
  for (const other of TYPES)
    if (other !== known && item[other] !== undefined && item[other] !== null)
      throw wrong(`${at}.${other}`, `${at}.${other} must not be set: the type of the item is ${known}`)
  return known
}

function readText(item: Json, index: number, at: string): VideoText {
  const text = readString(item, 'text', at)
  if (text === undefined) throw wrong(`${at}.text`, `${at}.text is required`)
  return { item: index, text, flags: findFlags(text, `${at}.text`) }
}

function checkPrompt(texts: readonly VideoText[]): void {
  const [first] = texts
  if (first !== undefined && texts.every(({ text }) => text.trim() === ''))
    throw wrong(`content[${first.item}].text`, `content[${first.item}].text must not be empty`)
  let length = 0
  for (const { item, text } of texts) {
    length += text.length
    if (length > MOST_PROMPT)
      throw wrong(`content[${item}].text`, `The texts of content must not be longer than ${MOST_PROMPT} characters`)
  }
}

function readMedia(item: Json, type: MediaType, index: number, at: string): VideoInput {
  const { kind, roles } = MEDIA[type]
  const written = readString(item, 'role', at)
  const role = written === undefined ? roles[0] : roles.find((candidate) => candidate === written)
  if (role === undefined) throw wrong(`${at}.role`, `${at}.role must be one of ${roles.join(', ')}`)
  return { item: index, kind, role, source: readUrl(item[type], kind, below(at, type)) }
}

/** Some clients write the URL itself where its object belongs; no upstream of the dialect accepts that. */
function readUrl(value: unknown, kind: Media['kind'], at: string): VideoInputSource {
  if (!isObject(value)) throw wrong(at, `${at} must be an object with the field url`)
  const url = readString(value, 'url', at)
  if (url === undefined || url === '') throw wrong(`${at}.url`, `${at}.url is required`)
  return readSource(url, kind, `${at}.url`)
}

function readDraft(item: Json, index: number, at: string): VideoInput {
  const path = `${at}.draft_task`
  const id = readString(asObject(item.draft_task, path), 'id', path)
  if (id === undefined || !/^[\w.-]{1,128}$/.test(id)) throw wrong(`${path}.id`, `${path}.id must be the id of a task`)
  return { item: index, kind: 'draft', role: 'draft_task', source: { kind: 'asset', id } }
}

function checkCounts(inputs: readonly VideoInput[]): void {
  for (const [type, { kind, most }] of Object.entries(MEDIA)) {
    const extra = inputs.filter((input) => input.kind === kind)[most]
    if (extra !== undefined)
      throw wrong(`content[${extra.item}]`, `content must not have more than ${most} items of type ${type}`)
  }
}

function readMode(texts: readonly VideoText[], inputs: readonly VideoInput[]): VideoMode {
  const of = (role: VideoRole) => inputs.filter((input) => input.role === role)
  const [firsts, lasts] = [of('first_frame'), of('last_frame')]
  const references = inputs.filter(({ role }) => role.startsWith('reference_'))
  const [draft] = of('draft_task')
  if (draft !== undefined) {
    if (inputs.length + texts.length > 1) throw conflict(draft, 'A draft_task must be the only item of content')
    return 'draft'
  }
  for (const extra of [firsts[1], lasts[1]])
    if (extra !== undefined)
      throw wrong(
        `content[${extra.item}].role`,
        `content must not have two images with the role ${extra.role}. ${ROLES}`,
      )
  const [last, reference] = [lasts[0], references[0]]
  if (reference !== undefined && firsts.length + lasts.length > 0)
    throw wrong(`content[${reference.item}].role`, `References must not be mixed with first and last frames. ${ROLES}`)
  if (last !== undefined && firsts.length === 0)
    throw wrong(`content[${last.item}].role`, 'An image with the role last_frame needs one with the role first_frame')
  if (reference !== undefined) return 'reference'
  if (last !== undefined) return 'first_last_frame'
  if (firsts.length > 0) return 'first_frame'
  if (texts.length === 0) throw wrong('content', 'content must have a text, an image or another input')
  return 'text'
}

const ROLES = 'An image without a role is a first frame.'

const conflict = ({ item }: VideoInput, message: string): RequestError => wrong(`content[${item}]`, message)
