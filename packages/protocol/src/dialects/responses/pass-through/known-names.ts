// The names that a responses request can have, in the places where no other spelling of them may stand.
import { knownNames, namesOf } from '../../shared/pass-through/known-names.ts'
import { MEMBERS, REQUEST, TOOL_MEMBERS } from './priced-fields.ts'

export const NAMES = knownNames(namesOf(REQUEST), {
  stream_options: { own: namesOf(MEMBERS.stream_options) },
  tools: { own: namesOf(TOOL_MEMBERS) },
})
