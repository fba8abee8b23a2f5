import type { Texts } from '../texts.ts'

export const keys: Texts['keys'] = {
  title: '密钥',
}
