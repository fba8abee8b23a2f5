import type { OperateTexts } from '../../i18n/texts.ts'

export const overview: OperateTexts['overview'] = {
  title: '概览',
}
