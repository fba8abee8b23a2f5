// The names that a chat request can have, in the places where no other spelling of them may stand.
import { knownNames, namesOf } from '../../shared/pass-through/known-names.ts'
import { FUNCTION_MEMBERS, MEMBERS, OTHER_SERVICES, REQUEST, TOOL_MEMBERS } from './priced-fields.ts'

export const NAMES = knownNames(
  namesOf(REQUEST, OTHER_SERVICES),
  {
    stream_options: { own: namesOf(MEMBERS.stream_options) },
    tools: { own: namesOf(TOOL_MEMBERS), within: new Map([['function', namesOf(FUNCTION_MEMBERS)]]) },
  },
  // The names in messages and in whatever is in them, at every depth: see scanned-request.ts.
  { messages: -1 << 2, tools: (1 << 2) | (1 << 3) },
)
