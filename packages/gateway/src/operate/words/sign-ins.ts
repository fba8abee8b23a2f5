// What the audit log has besides operations: sign-ins, and what people change of themselves.
import type { Words } from './words.ts'

export const SIGN_IN_WORDS = {
  'invitation accept': {
    did: { en: 'accepted the invitation {x}', zh: '接受了邀请 {x}' },
  },
  'admin-key rejected': { did: { en: 'used an admin key that was rejected', zh: '使用了被拒绝的管理密钥' } },
  'audit-log remove': { did: { en: 'removed expired entries of the audit log', zh: '清除了超过保留期的审计记录' } },
  'account webhook': {
    did: { en: 'changed where the notices of {x} are sent', zh: '更改了 {x} 的通知发送地址' },
  },
  'sign-up': { did: { en: 'signed up', zh: '注册了账户' } },
  'sign-in': {
    did: { en: 'signed in with a provider, which changed their permissions', zh: '通过身份提供方登录，权限随之更新' },
  },
  'sign-in succeeded': { did: { en: 'signed in', zh: '登录成功' } },
  'sign-in failed': { did: { en: 'failed to sign in', zh: '登录失败' } },
  'sign-out everywhere': { did: { en: 'signed out everywhere', zh: '退出了所有设备' } },
  'session end': { did: { en: 'ended a session', zh: '结束了一个会话' } },
  'password change': { did: { en: 'changed their password', zh: '修改了密码' } },
  'second-factor on': { did: { en: 'turned two-factor authentication on', zh: '开启了双重验证' } },
  'second-factor off': { did: { en: 'turned two-factor authentication off', zh: '关闭了双重验证' } },
  'second-factor failed': {
    did: { en: 'entered a wrong code for {x}', zh: '输错了 {x} 的验证码' },
  },
  'address proved': { did: { en: 'verified their email address', zh: '验证了邮箱' } },
} as const satisfies Words
