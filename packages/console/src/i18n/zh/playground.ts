import type { Texts } from '../texts.ts'

export const playground: Texts['playground'] = {
  title: '体验场',
}
