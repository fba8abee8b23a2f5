// What serves chat completions, completions, responses, messages and generateContent.
import { COMPLETIONS, MIDDLE } from '@trivium/protocol/dialects/chat/completions/index.ts'
import { TEXT_DIALECTS } from '@trivium/protocol/dialects/index.ts'
import { decodeModelId } from '../../access/list-models.ts'
import { cancelResponse, deleteAnyResponse, showAnyResponse } from '../../background/endpoints.ts'
import { typeOf } from '../../catalogue/catalogue.ts'
import { listInputItems } from '../../conversations/endpoints.ts'
import type { Handler, Handlers } from '../../handler.ts'
import { generateContentEndpoint } from '../../images/endpoints/generate-content.ts'
import { imageJourney } from '../../images/journey.ts'
import { Failure } from '../../request/failure.ts'
import { speechContentJourney } from '../../speech/journey.ts'
import { journey } from '../../text/journey.ts'
import type { TextEndpoint } from '../../text/request.ts'
import { countTokens } from '../../token-counting/journey.ts'

/** A request in a text dialect. */
const text =
  (endpoint: TextEndpoint): Handler =>
  (incoming, deps) =>
    journey(incoming, endpoint, deps)

const generateContent =
  (stream: boolean): Handler =>
  (incoming, deps, parameter) => {
    const addressed = { model: decodeModelId(parameter), stream }
    const asArray = isArrayStream(incoming.query) && stream
    if (typeOf(deps.catalogue(), addressed.model) === 'image')
      return imageJourney(incoming, generateContentEndpoint(addressed, asArray), deps)
    if (typeOf(deps.catalogue(), addressed.model) === 'speech') {
      if (asArray) throw new Failure('bad_request', 'alt must be sse for a model of speech.', { param: 'alt' })
      return speechContentJourney(incoming, addressed, deps)
    }
    return journey(incoming, { dialect: TEXT_DIALECTS['generate-content'], addressed, asArray }, deps)
  }

export const handlers = {
  chat: text({ dialect: TEXT_DIALECTS.chat }),
  completions: text({ dialect: COMPLETIONS }),
  'beta-completions': text({ dialect: COMPLETIONS }),
  'fim-completions': text({ dialect: MIDDLE }),
  responses: text({ dialect: TEXT_DIALECTS.responses }),
  messages: text({ dialect: TEXT_DIALECTS.messages }),
  'generate-content': generateContent(false),
  'stream-generate-content': generateContent(true),
  'messages-count-tokens': (incoming, deps) => countTokens(incoming, { dialect: TEXT_DIALECTS.messages }, deps),
  'generate-content-count-tokens': (incoming, deps, parameter) => {
    const addressed = { model: decodeModelId(parameter), stream: false }
    return countTokens(incoming, { dialect: TEXT_DIALECTS['generate-content'], addressed }, deps)
  },
  'responses-count-tokens': (incoming, deps) => countTokens(incoming, { dialect: TEXT_DIALECTS.responses }, deps),
  'show-response': (incoming, deps, id) => showAnyResponse(id, incoming, deps),
  'delete-response': (incoming, deps, id) => deleteAnyResponse(id, incoming, deps),
  'cancel-response': (incoming, deps, id) => cancelResponse(id, incoming, deps),
  'list-input-items': (incoming, deps, id) => listInputItems(id, incoming, deps),
} satisfies Handlers

/** The values of the query parameter `alt`; without it a stream consists of events. */
const STREAM_FORMS: readonly string[] = ['', 'sse', 'json']

/** The query names the form of the stream: `streamGenerateContent?alt=sse`. */
function isArrayStream(query: string): boolean {
  const alt = new URLSearchParams(query).get('alt') ?? ''
  if (!STREAM_FORMS.includes(alt)) {
    throw new Failure('bad_request', 'alt must be sse for events or json for one array.', { param: 'alt' })
  }
  return alt === 'json'
}
