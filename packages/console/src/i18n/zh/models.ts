import type { Texts } from '../texts.ts'

export const models: Texts['models'] = {
  title: '模型',
}
