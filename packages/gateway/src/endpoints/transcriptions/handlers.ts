// What serves transcriptions and translations of audio.

import type { Handlers } from '../../handler.ts'
import { transcriptionJourney } from '../../transcription/journey.ts'

export const handlers = {
  'audio-transcriptions': (incoming, deps) => transcriptionJourney(incoming, 'transcribe', deps),
  'audio-translations': (incoming, deps) => transcriptionJourney(incoming, 'translate', deps),
} satisfies Handlers
