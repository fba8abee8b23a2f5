// The only list of dialects.

import type { TextDialectId } from '../canonical/request.ts'
import * as chat from './chat/index.ts'
import type { DialectId, ErrorDialect } from './dialect.ts'
import * as generateContent from './generate-content/index.ts'
import * as images from './images/index.ts'
import * as messages from './messages/index.ts'
import * as responses from './responses/index.ts'
import type { TextDialect } from './text-dialect.ts'
import * as videoTasks from './video-tasks/index.ts'

export type { DialectId, ErrorDialect } from './dialect.ts'

export const DIALECTS: Record<DialectId, ErrorDialect> = {
  chat: errorsOf('chat', chat),
  responses: errorsOf('responses', responses),
  messages: errorsOf('messages', messages),
  'generate-content': errorsOf('generate-content', generateContent),
  images: errorsOf('images', images),
  'video-tasks': errorsOf('video-tasks', videoTasks),
}

function errorsOf(id: DialectId, dialect: Omit<ErrorDialect, 'id'>): ErrorDialect {
  const { encodeError, encodeStreamError, decodeError } = dialect
  return { id, encodeError, encodeStreamError, decodeError }
}

/** Those that answer with text, in full. */
export const TEXT_DIALECTS: Readonly<Record<TextDialectId, TextDialect>> = {
  chat: { id: 'chat', ...chat },
  responses: { id: 'responses', ...responses },
  messages: { id: 'messages', ...messages },
  'generate-content': { id: 'generate-content', ...generateContent },
}
