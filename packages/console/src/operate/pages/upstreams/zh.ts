import type { OperateTexts } from '../../i18n/texts.ts'

export const upstreams: OperateTexts['upstreams'] = {
  title: '上游',
}
