// Fields that multiply or add to what an image service bills: the number of images under another name, tiers of service,
// searches. Unknown fields are passed on, but these have no price, and so would be billed to the operator alone.

import type { UnknownField } from '../../../canonical/image.ts'
import { foldCase } from '../../shared/pass-through/known-names.ts'
import { baseOf, isPricedElsewhere } from '../../shared/pass-through/unread-fields.ts'

const THINGS = '(?:image|picture|photo|output|sample|result|generation|variation|variant|candidate|batche?)s?'

/** By the name without case, underscores and dashes, since services differ in nothing else. */
const COSTLY: readonly RegExp[] = [
  new RegExp(`^(?:n|num|number|max|total|count)(?:of)?${THINGS}(?:per(?:prompt|request|call))?$`),
  new RegExp(`^${THINGS}(?:count|num|number|size|per(?:prompt|request|call))$`),
  /^(?:n|k|count|quantity|repeats?|samples|variations|batch|niter|imagespercall)$/,
  /^sequentialimagegeneration/,
  /^(?:tools|toolchoice|toolconfig|plugins)$/,
  /(?:^|service|processing|inference)tier$/,
  /^(?:priority|speed|speedmode|fastmode|turbo|flex)$/,
  /search(?:options|config|parameters|enabled)?$/,
  /^(?:enable)?(?:grounding|upscal|superres|hires)|^enablehr$|^hr(?:scale|upscaler)$/,
]

/** `image_size` and the like say how large an image is: those are not a number of images. */
const SIZES = /^(?:image|picture|photo|output|sample)s?size$/

function isCostlyName(name: string): boolean {
  const plain = foldCase(name).replace(/[^a-z0-9]/g, '')
  return !SIZES.test(plain) && COSTLY.some((pattern) => pattern.test(plain))
}

/** A name and the colon behind it; a quote within a string has a backslash before it. */
const MEMBER = /"([^"\\]{1,64})"\s*:/g

/** Also an object that has such a field inside, and what lets another model or vendor make the images. Throws RequestError. */
export function isCostly(field: UnknownField): boolean {
  const { name, text, isForm } = field
  if (isCostlyName(name) || isCostlyName(baseOf(name)) || isPricedElsewhere(field)) return true
  if (isForm && !/^\s*[[{]/.test(text)) return false
  for (const [, member] of text.matchAll(MEMBER)) if (isCostlyName(member ?? '')) return true
  return false
}

/** What is said at all: null, `false` and an empty list ask for nothing. */
export const asksForSomething = ({ text }: UnknownField): boolean => !/^\s*(?:null|false|""|\[\s*\]|)\s*$/.test(text)

/** Fields that decide the size of an image beside `size`, which a price may depend on. */
export const decidesSize = ({ name }: UnknownField): boolean =>
  /^(?:width|height|w|h|resolution|megapixels|imagesize|outputsize|aspectratio|imageconfig|scale|scalefactor)$/.test(
    foldCase(name).replace(/[^a-z0-9]/g, ''),
  )
