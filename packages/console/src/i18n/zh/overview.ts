import type { Texts } from '../texts.ts'

export const overview: Texts['overview'] = {
  title: '概览',
}
