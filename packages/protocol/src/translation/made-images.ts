// Images that a hosted tool made earlier in the conversation, for a model that takes images: it sees the last of them, as it would at the
// vendor whose tool made them.

import type { CanonicalRequest, ForeignPart, Part, Turn } from '../canonical/request.ts'

const LABEL: Part = { type: 'text', text: 'The image that was made:' }

type Made = ForeignPart & { image: NonNullable<ForeignPart['image']> }

const isMade = (part: Part): part is Made => part.type === 'foreign' && part.image !== undefined

/** `takesImages`: the model does. `warn`: an image is not shown. */
export function withMadeImages(request: CanonicalRequest, takesImages: boolean, warn: () => void): CanonicalRequest {
  const made = request.turns.flatMap(({ parts }) => parts.filter(isMade))
  if (made.length === 0) return request
  const seen = takesImages ? made.at(-1) : undefined
  if (made.length > 1 || !seen) warn()
  return { ...request, turns: request.turns.flatMap((turn) => shownIn(turn, seen)) }
}

/** Only users show images: the turn is divided where the image was made. */
function shownIn(turn: Turn, seen: Made | undefined): Turn[] {
  if (!turn.parts.some(isMade)) return [turn]
  const said = (parts: readonly Part[]): Turn => ({ ...turn, parts: parts.filter((part) => !isMade(part)) })
  const at = seen ? turn.parts.indexOf(seen) : -1
  if (!seen || at < 0) return [said(turn.parts)].filter(hasParts)
  const shown: Turn = { role: 'user', parts: [LABEL, seen.image] }
  return [said(turn.parts.slice(0, at)), shown, said(turn.parts.slice(at + 1))].filter(hasParts)
}

const hasParts = ({ parts }: Turn): boolean => parts.length > 0
