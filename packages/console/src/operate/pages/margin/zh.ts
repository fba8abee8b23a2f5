import type { OperateTexts } from '../../i18n/texts.ts'

export const margin: OperateTexts['margin'] = {
  title: '毛利',
}
