import type { Texts } from '../texts.ts'

export const wallet: Texts['wallet'] = {
  title: '钱包',
}
