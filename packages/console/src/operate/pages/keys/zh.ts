import type { OperateTexts } from '../../i18n/texts.ts'

export const keys: OperateTexts['keys'] = {
  title: '密钥',
}
