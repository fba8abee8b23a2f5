// What serves speech, and lists its voices.

import type { Handlers } from '../../handler.ts'
import { speechJourney } from '../../speech/journey.ts'
import { listSpeechModels, listVoices } from '../../speech/voices.ts'

export const handlers = {
  speech: speechJourney,
  'list-speech-models': listSpeechModels,
  'list-voices': listVoices,
} satisfies Handlers
