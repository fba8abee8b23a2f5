import type { Texts } from '../texts.ts'

export const usage: Texts['usage'] = {
  title: '用量',
}
