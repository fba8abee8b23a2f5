// Text completions as a client form of the chat dialect: requests are read as a chat, or passed to upstreams that serve such a path,
// and every response takes the form that the client's path has.

import { isObject, parsedJson } from '../../../canonical/reading.ts'
import type { TextDialectDescription } from '../../text-dialect.ts'
import { chat } from '../index.ts'
import { passThrough } from '../pass-through.ts'
import { type CompletionForm, framesInForm, inForm, openFrames } from './reply.ts'
import { readRequest } from './request.ts'

const inClientForm = (form: CompletionForm): TextDialectDescription & { id: 'chat' } => ({
  ...chat,
  id: 'chat',
  form: `completions in ${form}`,
  encodeReply: (reply, answering) => ({ ...inForm(chat.encodeReply(reply, answering), form) }),
  openStreamEncoder(answering) {
    const encoder = chat.openStreamEncoder(answering)
    return {
      write: (event) => framesInForm(encoder.write(event), form),
      abandon: (error) => encoder.abandon(error),
    }
  },
  passThrough: {
    ...passThrough,
    readRequest: (bytes, codec, _, maxValues) => readRequest(bytes, codec, maxValues),
    readReply(bytes, codec, ...others) {
      const reply = passThrough.readReply(bytes, codec, ...others)
      if (!reply.ok) return reply
      const body = parsedJson(codec.decode(reply.body, 0, reply.body.length))
      return isObject(body) ? { ...reply, body: codec.encode(JSON.stringify(inForm(body, form))) } : reply
    },
    openMeter(options, codec) {
      const meter = passThrough.openMeter(options, codec)
      const frames = openFrames(form, codec)
      return {
        state: meter.state,
        push: (chunk) => frames.push(meter.push(chunk)),
        end: () => frames.end(meter.end()),
        stop: (units) => frames.end(meter.stop(units)),
      }
    },
  },
})

export const COMPLETIONS = inClientForm('text')
export const MIDDLE = inClientForm('chat')
