// What serves images.

import type { Handlers } from '../../handler.ts'
import { imagesEndpoint } from '../../images/endpoints/images.ts'
import { TASK_IMAGES } from '../../images/endpoints/task-images.ts'
import { imageJourney } from '../../images/journey.ts'

const IMAGE_GENERATIONS = imagesEndpoint('generate')
const IMAGE_EDITS = imagesEndpoint('edit')

export const handlers = {
  'image-generations': (incoming, deps) => imageJourney(incoming, IMAGE_GENERATIONS, deps),
  'image-edits': (incoming, deps) => imageJourney(incoming, IMAGE_EDITS, deps),
  'task-image-generations': (incoming, deps) => imageJourney(incoming, TASK_IMAGES, deps),
} satisfies Handlers
