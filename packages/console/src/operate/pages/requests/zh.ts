import type { OperateTexts } from '../../i18n/texts.ts'

export const requests: OperateTexts['requests'] = {
  title: '请求',
}
