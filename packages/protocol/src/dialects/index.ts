// The only list of dialects. A new one is a folder and a line here; routes.ts has its paths.

import { chat } from './chat/index.ts'
import type { DialectDescription } from './dialect.ts'
import { generateContent } from './generate-content/index.ts'
import { images } from './images/index.ts'
import { messages } from './messages/index.ts'
import { responses } from './responses/index.ts'
import type { TextDialectDescription } from './text-dialect.ts'
import { videoTasks } from './video-tasks/index.ts'

const TEXT = { chat, responses, messages, 'generate-content': generateContent }
const ALL = { ...TEXT, images, 'video-tasks': videoTasks }

export type TextDialectId = keyof typeof TEXT
export type DialectId = keyof typeof ALL
export type TextDialect = TextDialectDescription & { id: TextDialectId }
export type Dialect = DialectDescription & { id: DialectId }

/** Dialects whose calls are answered with text. */
export const TEXT_DIALECTS = TEXT as Readonly<Record<TextDialectId, TextDialect>>
export const DIALECTS = ALL as Readonly<Record<DialectId, Dialect>>

export const TEXT_DIALECT_IDS = Object.keys(TEXT) as readonly TextDialectId[]

export const isTextDialect = (id: DialectId): id is TextDialectId => id in TEXT
