import type { OperateTexts } from '../../i18n/texts.ts'

export const usage: OperateTexts['usage'] = {
  title: '用量',
}
