// Canonical events -> the frames of a responses stream. Every item is opened, filled and closed; the last event repeats
// them all, so the text is kept until then.
//
// The event that closes an item is held back until the next one opens or the answer ends: only then is it known whether
// the item was cut short.

import type { StreamEvent } from '../../../canonical/event.ts'
import type { Stop } from '../../../canonical/finish.ts'
import type { MadeImage, MediaBlock } from '../../../canonical/reply.ts'
import { mergeUsage, type Usage } from '../../../canonical/usage.ts'
import { utf8Length } from '../../../canonical/utf8.ts'
import type { ReplyContext, StreamEncoder } from '../../text-dialect.ts'
import { encodeStreamError } from '../error.ts'
import type { WrittenItem, WrittenPart } from '../wire.ts'
import { openFrames, type ReasoningDraft } from './encode-frames.ts'
import {
  callDraft,
  carrierDraft,
  type Draft,
  encodeAnnotation,
  encodeItem,
  encodeLogprobs,
  endingOf,
  imageDetails,
  itemId,
  responseObject,
} from './encode-items.ts'
import { encodeCarried, encryptedReasoning } from './reasoning-carrier.ts'
import { encodeUsage } from './usage.ts'

/** A comment: the SDK's stream helper takes no event before the first one, and comments at any time. */
export const heartbeat = ': keep-alive\n\n'

const IN_PROGRESS = { status: 'in_progress', error: null, incomplete_details: null } as const

/** The block that takes deltas. `before`: all of a delta's frame up to its number, made once. */
type Active = {
  index: number
  draft: Draft | undefined
  /** The part of a message. */
  part: WrittenPart | undefined
  partOpen: boolean
  text: string
  before: string
  between: string
  after: string
  signature: string | undefined
}

/** An image that is made while the stream waits for it. Between `openImage` and `closeImage` nothing else is written. */
export type ImageFrames = {
  openImage(): string
  /** `index`: counts from 0. What stands before and after the image's base64 text. */
  partialImage(index: number, details: MadeImage): [before: string, after: string]
  closeImage(image: MediaBlock): string
}

export function openStreamEncoder(answering: ReplyContext): StreamEncoder & ImageFrames {
  const output: WrittenItem[] = []
  const { frame, nextSequenceNumber, place, placeOf, ...frames } = openFrames(output)
  let outputBytes = 0
  let begun = false
  let usage: Usage | undefined
  let stop: Stop | undefined
  let draft: Draft | undefined
  let active: Active | undefined
  /** What the item carries behind it, once it is closed. */
  let carried: string | undefined

  const response = (ending: Parameters<typeof responseObject>[1], withUsage: boolean): Record<string, unknown> =>
    responseObject(answering, ending, output, withUsage ? encodeUsage(usage, outputBytes, answering) : undefined)

  function begin(): string {
    if (begun) return ''
    begun = true
    const fields = `"response":${JSON.stringify(response(IN_PROGRESS, false))}`
    return frame('response.created', fields) + frame('response.in_progress', fields)
  }

  function openItem(opened: Draft): string {
    draft = opened
    return frame('response.output_item.added', `${place()},"item":${JSON.stringify(emptyItem(opened))}`)
  }

  function closeItem(status: 'completed' | 'incomplete'): string {
    if (draft === undefined) return ''
    const item = encodeItem(draft, status)
    draft = undefined
    const done = frame('response.output_item.done', `${place()},"item":${JSON.stringify(item)}`)
    output.push(item)
    if (carried === undefined) return done
    const carrier = carrierDraft(answering, output.length, carried)
    carried = undefined
    return done + wholeItem(carrier)
  }

  const wholeItem = (whole: Draft): string => openItem(whole) + closeItem('completed')

  function activate(index: number, of: Draft | undefined, deltaType: string, where: string, after = '}\n\n'): void {
    active = {
      index,
      draft: of,
      part: undefined,
      partOpen: false,
      text: '',
      signature: undefined,
      before: `event: ${deltaType}\ndata: {"type":"${deltaType}","sequence_number":`,
      between: `,${where},"delta":`,
      after,
    }
  }

  function openPart(index: number, type: 'text' | 'refusal'): string {
    const isNew = draft?.kind !== 'message' || carried !== undefined
    let written = isNew ? closeItem('completed') : ''
    if (isNew) written += openItem({ kind: 'message', id: itemId('message', answering, output.length), parts: [] })
    if (draft?.kind !== 'message') return written
    const part: WrittenPart =
      type === 'text'
        ? { type: 'output_text', text: '', annotations: [], logprobs: [] }
        : { type: 'refusal', refusal: '' }
    const where = `${placeOf(draft.id)},"content_index":${draft.parts.length}`
    if (type === 'text') activate(index, draft, 'response.output_text.delta', where, ',"logprobs":[]}\n\n')
    else activate(index, draft, 'response.refusal.delta', where)
    if (active !== undefined) Object.assign(active, { part, partOpen: true })
    written += frame('response.content_part.added', `${where},"part":${JSON.stringify(part)}`)
    draft.parts.push(part)
    return written
  }

  function open({ index, choice, block }: Extract<StreamEvent, { type: 'open' }>): string {
    // There is no way to ask for more than one choice in this dialect.
    if (choice !== 0) return ''
    if (block.type === 'text' || block.type === 'refusal') return openPart(index, block.type)
    let written = closeItem('completed')
    const number = output.length
    switch (block.type) {
      case 'reasoning': {
        const id = itemId('reasoning', answering, number)
        const reasoning: ReasoningDraft = { kind: 'reasoning', id, style: block.style, text: '', encrypted: undefined }
        activate(
          index,
          reasoning,
          'response.reasoning_summary_text.delta',
          frames.placeOfReasoning(reasoning, 'summary'),
        )
        if (!answering.hideReasoning) written += openItem(reasoning)
        return written
      }
      case 'call': {
        const call = callDraft(answering, number, block)
        const type = block.custom ? 'response.custom_tool_call_input.delta' : 'response.function_call_arguments.delta'
        activate(index, call, type, placeOf(call.id))
        return written + openItem(call)
      }
      case 'redacted': {
        const encrypted = encodeCarried({ of: 'redacted', value: answering.seal(block.data) })
        return written + wholeItem(carrierDraft(answering, number, encrypted))
      }
      case 'search': {
        const search: Draft = { kind: 'search', id: itemId('search', answering, number), search: block }
        written += openItem(search)
        const steps = block.failed ? ['in_progress', 'searching'] : ['in_progress', 'searching', 'completed']
        for (const step of steps) written += frame(`response.web_search_call.${step}`, placeOf(search.id))
        return written
      }
      case 'media': {
        if (!block.mime.startsWith('image/')) return written
        const image: Draft = { kind: 'image', id: itemId('image', answering, number), data: block.data }
        written += openItem(image)
        for (const step of ['in_progress', 'generating', 'completed']) written += imageStep(step, image)
        return written
      }
    }
  }

  function delta(index: number, text: string): string {
    if (active?.index !== index || text === '') return ''
    active.text += text
    if (draft !== active.draft) return '' // hidden reasoning
    const opening = active.partOpen ? '' : openReasoning(active)
    return `${opening}${active.before}${nextSequenceNumber()}${active.between}${JSON.stringify(text)}${active.after}`
  }

  /** A part of a reasoning item: only reasoning that has text gets one. */
  function openReasoning(block: Active): string {
    block.partOpen = true
    return block.draft?.kind === 'reasoning' ? frames.reasoningPart(block.draft, 'summary', 'added', '') : ''
  }

  /** `isWhole`: it ended by itself. A call that was cut must not look as if its arguments were complete. */
  function closeBlock(isWhole: boolean): string {
    if (active === undefined) return ''
    const block = active
    active = undefined
    outputBytes += utf8Length(block.text)
    const { signature } = block
    const of = block.draft
    if (of === undefined) return ''
    switch (of.kind) {
      case 'message': {
        if (signature !== undefined) carried = encodeCarried({ of: 'previous', value: answering.seal(signature) })
        return block.part === undefined ? '' : frames.closePart(of, block.part, block.text)
      }
      case 'reasoning': {
        of.encrypted = encryptedReasoning(block.text, signature, answering)
        // Hidden reasoning leaves only what its vendor wants back.
        if (draft !== of) return of.encrypted === undefined ? '' : openItem(of)
        of.text = block.text
        return block.partOpen ? frames.closeReasoning(of) : ''
      }
      case 'call': {
        of.text = block.text
        if (signature !== undefined) carried = encodeCarried({ of: 'previous', value: answering.seal(signature) })
        return isWhole ? frames.closeCall(of) : ''
      }
      default:
        return ''
    }
  }

  function annotate(event: Extract<StreamEvent, { type: 'citation' | 'logprobs' }>): string {
    if (active?.index !== event.index || active.part?.type !== 'output_text' || draft?.kind !== 'message') return ''
    const { part } = active
    const where = `${placeOf(draft.id)},"content_index":${draft.parts.length - 1}`
    if (event.type === 'logprobs') {
      const written = encodeLogprobs(event.items)
      part.logprobs?.push(...written)
      return frame('response.output_text.delta', `${where},"delta":"","logprobs":${JSON.stringify(written)}`)
    }
    const annotation = encodeAnnotation(event.citation, active.text.length)
    const number = part.annotations.push(annotation) - 1
    const fields = `${where},"annotation_index":${number},"annotation":${JSON.stringify(annotation)}`
    return frame('response.output_text.annotation.added', fields)
  }

  const imageStep = (step: string, { id }: Draft): string =>
    frame(`response.image_generation_call.${step}`, placeOf(id))

  const images: ImageFrames = {
    openImage() {
      const written = begin() + closeBlock(true) + closeItem('completed')
      const image: Draft = { kind: 'image', id: itemId('image', answering, output.length), data: '' }
      return written + openItem(image) + imageStep('in_progress', image) + imageStep('generating', image)
    },
    partialImage(index, details) {
      if (draft?.kind !== 'image') return ['', '']
      const { id } = draft
      const more = JSON.stringify(imageDetails({ ...NO_DETAILS, ...details })).slice(1, -1)
      const fields = `${placeOf(id)},"partial_image_index":${index}${more === '' ? '' : `,${more}`}`
      const written = frame('response.image_generation_call.partial_image', `${fields},"partial_image_b64":""`)
      return [written.slice(0, -IMAGE_END.length), IMAGE_END]
    },
    closeImage({ data, made }) {
      if (draft?.kind !== 'image') return ''
      Object.assign(draft, { data, made })
      return (made?.failed ? '' : imageStep('completed', draft)) + closeItem('completed')
    },
  }

  function end(): string {
    const ending = endingOf(stop)
    const isWhole = ending.status !== 'incomplete'
    const written = closeBlock(isWhole) + closeItem(ending.status === 'completed' ? 'completed' : 'incomplete')
    return written + frame(`response.${ending.status}`, `"response":${JSON.stringify(response(ending, true))}`)
  }

  return {
    ...images,
    write(event) {
      switch (event.type) {
        case 'delta':
          return delta(event.index, event.text)
        case 'start':
          usage = event.usage
          return begin()
        case 'open':
          return begin() + open(event)
        case 'signature':
          if (active?.index === event.index) active.signature = event.value
          return ''
        case 'citation':
        case 'logprobs':
          return annotate(event)
        case 'close':
          return active?.index === event.index ? closeBlock(true) : ''
        case 'usage':
          usage = mergeUsage(usage, event.usage)
          return ''
        case 'stop':
          if (event.choice === 0) stop = event.stop
          return ''
        case 'end':
          return begin() + end()
        default:
          return ''
      }
    },
    abandon(error) {
      const written = begin() + closeBlock(false) + closeItem('incomplete')
      const told = { response: response(IN_PROGRESS, true), nextSequenceNumber: nextSequenceNumber() }
      return written + encodeStreamError(error, answering.id, told)
    },
  }
}

/** How the frame of a partial image ends, after the base64 text. */
const IMAGE_END = '"}\n\n'
const NO_DETAILS = { size: undefined, quality: undefined, background: undefined, outputFormat: undefined }

/** As it is announced, before anything is in it. */
const emptyItem = (draft: Draft): WrittenItem =>
  encodeItem(draft.kind === 'reasoning' ? { ...draft, text: '', encrypted: undefined } : draft, 'in_progress')
