// The names that a generate-content request can have, in the places where no other spelling of them may stand. Each may be
// spelled `likeThis` or `like_this`, and in no other way.
import { bothSpellings, knownNames } from '../../shared/pass-through/known-names.ts'
import { CONFIG, DECLARATION_MEMBERS, REQUEST, TOOLS } from './priced-fields.ts'

const config = { own: bothSpellings(CONFIG) }
const declarations = bothSpellings(DECLARATION_MEMBERS)

export const NAMES = knownNames(bothSpellings(REQUEST), {
  generationConfig: config,
  generation_config: config,
  tools: {
    own: bothSpellings(TOOLS),
    within: new Map([
      ['functionDeclarations', declarations],
      ['function_declarations', declarations],
    ]),
  },
})
